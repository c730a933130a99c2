import type { MailBranding } from '../../mail/render.ts'
import type { Db } from '../../store/db/database.ts'
import { findLogo, type OwnerPages } from '../../store/owners/owner-pages.ts'
import { findOwnerTimeZone } from '../../store/owners/owner-time-zones.ts'

/** Branding and time zone of mails about a business. */
export async function findMailBranding(
  db: Db,
  company: { instanceId: string; companyId: string },
  pages: OwnerPages,
): Promise<MailBranding> {
  const logo = pages.logo && (await findLogo(db, company.instanceId, pages.logo.hash))
  const { contact, accentLight: light, accentDark: dark } = pages
  return { colours: { light, dark }, contact, logo, zone: await findOwnerTimeZone(db, company) }
}
