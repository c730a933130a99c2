import { Check } from 'typebox/value'
import { type Connector, type Page, type Session, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { checkByRefusedGrant } from '../toolkit/oauth/app-check.ts'
import { authorization, disconnect, refreshCredentials } from './authorization.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { accountsOf, readAccounts, readTransactions } from './read.ts'
import { call, callJson, secretOf } from './request.ts'
import { fetchTransactions } from './transactions.ts'
import { AccountWire, FetchWire, TaskWire, TransactionWire } from './wire.ts'

/**
 * Maximum calls: the bank holds each for up to seven seconds; data that it has not read from its core by then are in
 * the next run.
 */
const TASK_CALLS = 8
const LIST_BYTES = 20 * 1024 * 1024

export const bannoConnector: Connector = {
  authorize: authorization,
  checkApp: checkByRefusedGrant(refreshCredentials),
  refreshCredentials,
  pulls: [
    { name: 'accounts', delivers: ['Accounts'], fetch: fetchAccounts, read: readAccounts },
    { name: 'transactions', delivers: ['Transactions'], fetch: fetchTransactions, read: readTransactions },
  ],
  entities: {
    Accounts: { wire: AccountWire, map: accountMapping },
    Transactions: { wire: TransactionWire, map: transactionMapping },
  },
  disconnect,
}

/** Account list, without pages. Closed accounts are removed from it some time after their closing. */
async function fetchAccounts(session: Session): Promise<Page> {
  const { kit, credentials, entityId } = session
  await askForFreshData(session)
  const path = `/users/${encodeURIComponent(entityId)}/accounts`
  const response = await call(kit, secretOf(credentials).accessToken, path, 'the list of accounts', { maxBytes: LIST_BYTES })
  accountsOf(await responseJson(response, 'the list of accounts'))
  return { answers: { accounts: response.body }, next: null, listing: 'complete' }
}

/**
 * Requests a refresh. Banno returns the last data read from the bank's core; this makes it read them again.
 * Source: https://jackhenry.dev/open-api-docs/consumer-api/guides/datarefresh/
 */
async function askForFreshData({ kit, credentials, entityId }: Session): Promise<void> {
  const { accessToken } = secretOf(credentials)
  const user = `/users/${encodeURIComponent(entityId)}`
  const started = await callJson(kit, accessToken, `${user}/fetch`, 'the wish for fresh data', 'PUT')
  if (!Check(FetchWire, started)) throw new SourceError('badData', 'Banno named no task for the wish for fresh data')
  const task = `${user}/tasks/${encodeURIComponent(started.taskId)}`
  let version = '0'
  for (let calls = 0; calls < TASK_CALLS; calls += 1) {
    const state = await callJson(kit, accessToken, `${task}?${new URLSearchParams({ sinceVersion: version })}`, 'the state of the task')
    if (!Check(TaskWire, state)) throw new SourceError('badData', 'Banno told no state of the task')
    if (state.events.some(({ type }) => type?.endsWith('TaskEnded'))) return
    version = String(state.version ?? version)
  }
}
