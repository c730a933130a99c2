import { beforeAll, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { ApiWalk } from './api-walk.ts'
import { Walk } from './watch.ts'
import { expectWrittenEntries } from './written-entries.ts'

const api = openForTests(() => ApiWalk.open())
const walk = openForTests(() => new Walk(api.app, api.database))

beforeAll(async () => {
  api.caller = walk
  await api.app.ready()
})

it('every operation of the API that changes something leaves an entry', async () => {
  await api.walk()
  expect(walk.faults).toEqual([])
  expect(walk.listUnseen().filter((id) => ![OPERATORS, SCIM, SIGN_IN].some((others) => others.test(id)))).toEqual(UNREACHED)
}, 120_000)

it('an entry says what was changed, from what to what, and keeps no secret', async () => {
  await expectWrittenEntries(api.database, 'api')
})

/** Declared to make no entry; calls a server on the network. */
const UNREACHED = ['readFileFeedHostKeys']
/** Operations of operators, covered by `operator.test.ts`. */
const OPERATORS = /Operator|^(add|rename|suspend|resume|export|erase)Instance$|^(setInstanceQuotas|allowPasswords)$/
/** Covered by `scim.test.ts`. */
const SCIM = /^scim/

/** Covered by `sign-in.test.ts`. */
const SIGN_IN = /Passkey|^(proveIdentity|resetUserTwoStep|resetTwoStepOfMember|endUserSessions|updateSignInRules)$/

it('every operation that only reads changes nothing', async () => {
  const authorization = await api.logIn()
  const reads = walk.listReads()
  for (const operationId of reads) await walk.step(operationId, { ids: api.ids, headers: { authorization }, mayFail: true })
  expect(walk.faults).toEqual([])
  expect(reads.length).toBeGreaterThan(50)
}, 120_000)
