import { expect, it } from 'vitest'
import { walkOperators } from './operator-walk.ts'
import { Walk } from './watch.ts'
import { expectWrittenEntries } from './written-entries.ts'

it('every operation of operators that changes something leaves an entry', async () => {
  const walk = await walkOperators(
    (app, database) => new Walk(app, database),
    (database) => expectWrittenEntries(database, 'operators'),
  )
  expect(walk.faults).toEqual([])
  expect(
    // Passkeys and proofs: sign-in.test.ts.
    walk
      .listUnseen()
      .filter((id) => /Operator|^(add|rename|suspend|resume|export|erase)Instance$|^(setInstanceQuotas|allowPasswords)$/.test(id))
      .filter((id) => !/Passkey|^proveOperator$/.test(id)),
  ).toEqual([])
}, 60_000)
