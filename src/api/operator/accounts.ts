import { normalizeEmail } from '../../store/access/users.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { deleteOperator, findOperator, insertOperator, lockOtherOperators, type Operator } from '../../store/operators/operators.ts'
import { type Access, audit } from '../access/access.ts'
import { conflict, orNotFound } from '../errors/errors.ts'
import { type IssuedLink, issueLinkOf } from './links.ts'

/**
 * Adds an operator, with a one-time link to pass on; one with the id, whose answer was lost, gets another link. Throws a
 * 409 for an address that is taken.
 */
export async function addOperator(access: Access, { id, ...account }: { id: string; email: string; name: string }): Promise<IssuedLink> {
  return await inTransaction(access.database, async (db) => {
    const known = await findOperator(db, id)
    if (known) return await issueLinkOf(access, db, known, false, access.settings.issuer)
    const operator = { id, email: normalizeEmail(account.email), name: account.name.trim() }
    if (!(await insertOperator(db, operator, access.now()))) throw conflict('The e-mail address is taken.')
    const made = { ...operator, hasPassword: false, twoStep: false, createdOn: access.now() }
    await audit(access, db, { instanceId: null, action: 'operator.created', subject: `operator/${id}`, after: made })
    return await issueLinkOf(access, db, made, false, access.settings.issuer)
  })
}

/** Throws a 404 for an unknown operator. */
export async function getOperator(db: Db, id: string): Promise<Operator> {
  return orNotFound(await findOperator(db, id), 'operator')
}

/** New one-time link for an operator. Throws a 404 for an unknown one. */
export async function renewLink(access: Access, id: string, resetsTwoStep: boolean): Promise<IssuedLink> {
  return await inTransaction(access.database, async (db) => {
    const operator = await getOperator(db, id)
    return await issueLinkOf(access, db, operator, resetsTwoStep, access.settings.issuer)
  })
}

/** Removes an operator, whose sessions end. Throws a 409 for the last one who can sign in. */
export async function removeOperator(access: Access, id: string): Promise<void> {
  await inTransaction(access.database, async (db) => {
    const hasOther = await lockOtherOperators(db, id)
    const before = await getOperator(db, id)
    if (!hasOther) throw conflict('A deployment keeps at least one operator who can sign in.')
    await deleteOperator(db, id)
    await audit(access, db, { instanceId: null, action: 'operator.deleted', subject: `operator/${id}`, before })
  })
}
