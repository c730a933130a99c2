import type { Db } from '../../store/db/database.ts'
import { addPurposeVersion, saveOwnerPages } from '../../store/owners/owner-pages.ts'
import { findReturnFault } from '../../sync/branding/return-address.ts'

const PURPOSES = [
  {
    key: 'credit-review',
    en: 'To decide on the line of credit that you asked for, and to review it once a month while it is open.',
    fr: 'Pour étudier la marge de crédit que vous avez demandée et la réviser chaque mois tant qu’elle est ouverte.',
    durationDays: 365,
  },
  {
    key: 'one-time-check',
    en: 'To check your figures once, for the application that you sent us.',
    fr: 'Pour vérifier vos chiffres une seule fois, aux fins de la demande que vous nous avez envoyée.',
    durationDays: 30,
  },
]

/** Owner pages of the sandbox's instance with all settings set, so that a newcomer sees their effect. */
export async function seedOwnerPages(db: Db, instanceId: string, baseUrl: string): Promise<void> {
  for (const { key, en, fr, durationDays } of PURPOSES) {
    await addPurposeVersion(db, instanceId, { key, version: 1, texts: { en, 'fr-CA': fr }, durationDays })
  }
  const portal = `${baseUrl}/portal`
  await saveOwnerPages(db, instanceId, {
    publicName: 'Sandbox Lending',
    contact: 'privacy@sandbox-lending.example',
    accentLight: '#0f6b5c',
    accentDark: '#6fd9c3',
    defaultLanguage: null,
    timeZone: 'America/Toronto',
    purposeKeys: PURPOSES.map(({ key }) => key),
    defaultPurpose: 'credit-review',
    returnAddresses: [
      'https://app.example.com/onboarding',
      ...(findReturnFault(portal, { allowsLoopback: true }) === null ? [portal] : []),
    ],
    frameOrigins: ['https://app.example.com'],
  })
}
