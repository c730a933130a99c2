import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { createInstance } from '../../src/store/access/instances.ts'
import { helperRetention } from '../../src/store/retention/hand-off-helpers.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const instanceId = randomUUID()
const companyId = randomUUID()
/** More than one statement looks at. */
const OPEN = 1_001
const test = databaseForTests()

beforeAll(async () => {
  await createInstance(test.database, { id: instanceId, name: 'Test Lender' })
  await addCompany(test.database, instanceId, { id: companyId })
})

/** Hand-offs whose links end as the columns say. */
async function addHandOffs(count: number, how: string, columns: string, values: string): Promise<void> {
  await test.database.query(
    `with made as (insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, ${columns})
       select $1, gen_random_uuid(), sha256(($3 || n)::bytea), $2, gen_random_uuid(), $3, ${values} from generate_series(1, $4::int) n returning id)
     insert into hand_offs (instance_id, link_id, helper) select $1, id, 'sealed' from made`,
    [instanceId, companyId, how, count],
  )
}

it('forgets the helpers of links that were used, revoked or have expired, and no other', async () => {
  const ahead = `now() + interval '1 day'`
  await addHandOffs(OPEN, 'open', 'expires_at', ahead)
  await addHandOffs(1, 'expired', 'expires_at', `now() - interval '1 second'`)
  await addHandOffs(1, 'used', 'expires_at, completed_at', `${ahead}, now()`)
  await addHandOffs(1, 'revoked', 'expires_at, revoked_at', `${ahead}, now()`)
  const forgetHelpers = helperRetention(test.database)
  expect(await forgetHelpers()).toBe(3)
  const { rows } = await test.database.query<{ how: string }>(
    `select distinct l.issued_by as how from hand_offs h join links l on l.id = h.link_id where h.helper is not null`,
  )
  expect(rows).toEqual([{ how: 'open' }])
  await test.database.query(`update links set revoked_at = now() where issued_by = 'open'`)
  expect(await forgetHelpers(), 'from the beginning again').toBe(OPEN)
})
