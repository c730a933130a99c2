import { inTransaction } from '../../store/db/database.ts'
import { noteOperatorProof } from '../../store/operators/operator-sessions.ts'
import { findLoginOperator } from '../../store/operators/operators.ts'
import { type Access, audit } from '../access/access.ts'
import { countConfirmation, forgetConfirmations } from '../access/login/login-rate-limit.ts'
import { factorOf } from '../access/login/second-step.ts'
import type { GivenProof } from '../access/proof/prove.ts'
import { badField, badRequest } from '../errors/errors.ts'
import { noSession, type OperatorCaller } from './operator-caller.ts'
import { recordRefusal, subjectOf } from './sign-in.ts'
import { verifyProof } from './two-step.ts'

/**
 * Proves again who the operator of a session is: by password and second step, or by a passkey alone. Throws a 400 for a
 * wrong one, a 429 above the limit, and a 401 for a session that has ended in the meantime.
 */
export async function proveOperator(access: Access, caller: OperatorCaller, { password, proof }: GivenProof): Promise<void> {
  if (proof === null) throw badRequest('The second step is missing.', [{ field: 'code', message: 'is required' }])
  await countConfirmation(access, caller.operatorId)
  const factor = factorOf(proof)
  if (factor !== 'passkey') await checkPassword(access, caller, password)
  await verifyProof(access, caller, proof)
  await inTransaction(access.database, async (db) => {
    if (!(await noteOperatorProof(db, caller.id, access.now()))) throw noSession()
    await audit(access, db, { instanceId: null, action: 'operator.proven', subject: subjectOf(caller), details: { factor } })
  })
  await forgetConfirmations(access, caller.operatorId)
}

async function checkPassword(access: Access, caller: OperatorCaller, password: string | null): Promise<void> {
  if (password === null) throw badField('password', 'is required')
  const operator = await findLoginOperator(access.database, caller.email)
  if (await access.hashing.verify(operator?.passwordHash ?? null, password)) return
  await recordRefusal(access, caller.operatorId, 'password')
  throw badField('password', 'is wrong')
}
