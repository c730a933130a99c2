import { inTransaction } from '../../store/db/database.ts'
import {
  type DueConsent,
  type DueReminder,
  listConnectionsToRepair,
  listConsentsToRemind,
  noteReminder,
} from '../../store/owners/reminders.ts'
import type { Log } from '../context/groups.ts'
import { createOwnerLink } from '../links/link.ts'
import { findService } from '../sources/catalogue.ts'
import type { OwnerMailContext, ReminderContext } from './context.ts'
import { mailLink, mailOwner, readOwnerAddress } from './owner-mail.ts'

/** Days before the end of a consent on which its owner is told. */
const STEPS = [30, 7, 1]
const BATCH = 100
/** A link to renew with lives on beyond the day on which the consent ends. */
const RENEWAL_HOURS = 30 * 24

/**
 * Mails each reminder that is due, once, to owners who gave an address: of a consent that ends soon, with a link to renew it, and, where the
 * instance lets it, of a connection that needs them. Any process may call it at any time, and be killed in it; gives how many were queued.
 */
export async function queueReminders(deps: ReminderContext): Promise<number> {
  if (!deps.mail) return 0
  let queued = 0
  for (const due of await listConsentsToRemind(deps.database, deps.now(), STEPS, BATCH))
    queued += await remind(deps.log, due, () => remindOfConsent(deps, due))
  for (const due of await listConnectionsToRepair(deps.database, BATCH))
    queued += await remind(deps.log, due, () => remindOfConnection(deps, due))
  return queued
}

/** One that cannot be written keeps none of the others back, and is tried again the next time. */
async function remind(log: Log, due: DueReminder, write: () => Promise<number>): Promise<number> {
  try {
    return await write()
  } catch (error) {
    log.error({ err: error, about: due.about }, 'an owner could not be reminded')
    return 0
  }
}

async function remindOfConsent(deps: ReminderContext, due: DueConsent): Promise<number> {
  const { instanceId, companyId, serviceId, issuedBy, purposeKey, days, endsAt } = due
  return await inTransaction(deps.database, async (db) => {
    if (!(await noteReminder(db, due))) return 0
    const isQueued = await mailOwner(db, deps, due, 'consentEnding', async (names, language) => {
      const service = await findService(db, deps.sources, instanceId, serviceId)
      const request = { instanceId, companyId, serviceId, issuedBy }
      const options = { language, lifeHours: RENEWAL_HOURS, purposeKey: purposeKey ?? undefined }
      const { address } = await createOwnerLink(db, deps, request, options)
      return { ...names, service: service?.name ?? '', address, endsAt, days }
    })
    await deps.crashPoint?.('before-reminder-commit')
    return isQueued ? 1 : 0
  })
}

async function remindOfConnection(deps: OwnerMailContext, due: DueReminder): Promise<number> {
  const { instanceId, companyId, serviceId, issuedBy, purposeKey } = due
  return await inTransaction(deps.database, async (db) => {
    const owner = await readOwnerAddress(db, deps.sealer, due)
    if (!owner || !(await noteReminder(db, due))) return 0
    await mailLink(db, deps, {
      ...{ instanceId, companyId, serviceId, issuedBy, kind: 'repair', to: owner.address, locale: owner.locale, note: '' },
      options: { purposeKey: purposeKey ?? undefined },
      isOwed: true,
    })
    return 1
  })
}
