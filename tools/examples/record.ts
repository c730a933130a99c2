import { toServiceId } from '../../src/model/catalogue.ts'
import { saveInstitutions } from '../../src/store/sources/institutions.ts'
import { ApiWalk } from '../../test/audit/api-walk.ts'
import { walkOperators } from '../../test/audit/operator-walk.ts'
import { walkOperatorSignIn, walkSignIn } from '../../test/audit/sign-in-walk.ts'
import { CannedSource } from '../../test/replay/canned-source.ts'
import { type Recorded, Recorder } from './recorder.ts'

/** Answers of a running service to every operation that the walks of the audit can call, by operation. */
export async function recordAnswers(): Promise<Map<string, Recorded>> {
  const records = new Map<string, Recorded>()
  await recordApi(records)
  for (const walk of [walkSignIn, walkOperators, walkOperatorSignIn]) await walk((app) => new Recorder(app, records))
  return records
}

async function recordApi(records: Map<string, Recorded>): Promise<void> {
  const [books, bank] = [await CannedSource.of('quickbooks'), await CannedSource.of('plaid')]
  Object.assign(books.description, { name: 'QuickBooks Online', title: 'QuickBooks Online' })
  Object.assign(bank.description, { name: 'Plaid', title: 'Plaid' })
  const api = await ApiWalk.open(books, [bank])
  api.caller = new Recorder(api.app, records, [
    ['/banking/', { serviceId: toServiceId('plaid') }],
    ['/institutions', { serviceId: toServiceId('directory') }],
  ])
  await saveInstitutions(api.database, 'directory', new Date(), [
    { id: 'fleuve', name: 'Banque du Fleuve', countries: ['CA'], routingNumbers: ['081500001'], url: null },
  ])
  await api.walk()
  await api.close()
}
