import { expect, it } from 'vitest'
import { walkOperatorSignIn, walkSignIn } from './sign-in-walk.ts'
import { Walk } from './watch.ts'
import { expectWrittenEntries } from './written-entries.ts'

const CHANGES = /Passkey|^(proveIdentity|resetUserTwoStep|endUserSessions|updateSignInRules)$/

it('every operation about second steps, proofs and sign-in rules that changes something leaves an entry', async () => {
  const walk = await walkSignIn(
    (app, database) => new Walk(app, database),
    (database) => expectWrittenEntries(database, 'sign-in'),
  )
  expect(walk.faults).toEqual([])
  expect(walk.listUnseen().filter((id) => CHANGES.test(id) && !/Operator/.test(id))).toEqual([])
}, 60_000)

it('every operation of operators about them leaves an entry', async () => {
  const walk = await walkOperatorSignIn(
    (app, database) => new Walk(app, database),
    (database) => expectWrittenEntries(database, 'operators-sign-in'),
  )
  expect(walk.faults).toEqual([])
  expect(walk.listUnseen().filter((id) => /OperatorPasskey|^proveOperator$|^resetTwoStepOfMember$/.test(id))).toEqual([])
}, 60_000)
