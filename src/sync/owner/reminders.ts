import { inTransaction } from '../../store/db/database.ts'
import {
  type DueConsent,
  type DueReminder,
  listConnectionsToRepair,
  listConsentsToRemind,
  noteReminder,
} from '../../store/owners/reminders.ts'
import type { Log } from '../context/groups.ts'
import { type CreatedLink, createOwnerLink, recordLink } from '../links/link.ts'
import { findService } from '../sources/catalogue.ts'
import type { OwnerMailContext, ReminderContext } from './context.ts'
import { mailLink, mailOwner, readOwnerAddress } from './owner-mail.ts'

/** Days before the end of a consent on which its owner is reminded. */
const STEPS = [30, 7, 1]
const BATCH = 100
/** Lifetime of a renewal link in a reminder: it outlives the consent. */
const RENEWAL_HOURS = 30 * 24

/**
 * Reminder job: mails each due reminder once, to owners with a stored address: of a consent that expires soon, with a
 * renewal link, and, if the instance allows it, of a connection that needs them. Safe in any process at any time, and
 * to be killed; returns the number of queued mails.
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

/** A failing reminder does not block the others, and is retried the next time. */
async function remind(log: Log, due: DueReminder, write: () => Promise<number>): Promise<number> {
  try {
    return await write()
  } catch (error) {
    log.error({ err: error, about: due.about }, 'an owner could not be reminded')
    return 0
  }
}

async function remindOfConsent(deps: ReminderContext, due: DueConsent): Promise<number> {
  const { instanceId, companyId, serviceId, issuedBy, applicationId, purposeKey, days, endsAt } = due
  return await inTransaction(deps.database, async (db) => {
    if (!(await noteReminder(db, due))) return 0
    let link: CreatedLink | null = null
    const isQueued = await mailOwner(db, deps, due, 'consentEnding', async (names, language) => {
      const service = await findService(db, deps.sources, instanceId, serviceId)
      const request = { instanceId, companyId, serviceId, issuedBy, applicationId }
      const options = { language, lifeHours: RENEWAL_HOURS, purposeKey: purposeKey ?? undefined }
      const created = await createOwnerLink(db, deps, request, options)
      link = created
      return { ...names, service: service?.name ?? '', address: created.address, endsAt, days }
    })
    if (link) await recordLink(db, link, { isMailed: true })
    await deps.crashPoint?.('before-reminder-commit')
    return isQueued ? 1 : 0
  })
}

async function remindOfConnection(deps: OwnerMailContext, due: DueReminder): Promise<number> {
  const { instanceId, companyId, serviceId, issuedBy, applicationId, purposeKey } = due
  return await inTransaction(deps.database, async (db) => {
    const owner = await readOwnerAddress(db, deps.sealer, due)
    if (!owner || !(await noteReminder(db, due))) return 0
    await mailLink(db, deps, {
      ...{ instanceId, companyId, serviceId, issuedBy, applicationId, kind: 'repair', to: owner.address, locale: owner.locale, note: '' },
      options: { purposeKey: purposeKey ?? undefined },
      isOwed: true,
    })
    return 1
  })
}
