import { randomUUID } from 'node:crypto'
import { normalizeEmail } from '../../store/access/users.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { cancelOperatorLinks, consumeOperatorLink, createOperatorLink, findOperatorLink } from '../../store/operators/operator-links.ts'
import { endSessionsOfOperator } from '../../store/operators/operator-sessions.ts'
import { clearOperatorTwoStep } from '../../store/operators/operator-two-steps.ts'
import { findLoginOperator, findOperator, insertOperator, type Operator, setOperatorPassword } from '../../store/operators/operators.ts'
import { type Access, audit, hashesOfSecret, hashSecret, newSecret } from '../access/access.ts'
import { findPasswordFault } from '../access/passwords/password-rules.ts'
import { badField } from '../errors/errors.ts'

const LINK = 'operator link'
const LIFE_MS = 3_600_000
const UNKNOWN = 'is unknown, was used or has run out'

type LinkAccess = Pick<Access, 'keys' | 'hashes' | 'now'>

export interface IssuedLink {
  operator: Operator
  /** Page at which the operator sets a password; works once, for an hour. */
  address: string
  expiresAt: Date
}

/** Account of the link; created if none has this address. */
export interface LinkRequest {
  email: string
  /** Name of a new account; defaults to the address. */
  name: string | null
  resetsTwoStep: boolean
}

/** One-time link for an operator to set a password; earlier ones become invalid. */
export async function issueOperatorLink(
  access: LinkAccess & { database: Database },
  request: LinkRequest,
  publicUrl: string,
): Promise<IssuedLink> {
  return await inTransaction(access.database, async (db) => {
    const operator = await findOrAdd(access, db, request)
    return await issueLinkOf(access, db, operator, request.resetsTwoStep, publicUrl)
  })
}

export async function issueLinkOf(
  access: LinkAccess,
  db: Db,
  operator: Operator,
  resetsTwoStep: boolean,
  publicUrl: string,
): Promise<IssuedLink> {
  const token = newSecret()
  const at = access.now()
  const expiresAt = new Date(at.getTime() + LIFE_MS)
  await cancelOperatorLinks(db, operator.id, at)
  await createOperatorLink(db, { operatorId: operator.id, resetsTwoStep, tokenHash: hashSecret(access, LINK, token), expiresAt })
  const entry = {
    instanceId: null,
    action: 'operator.link-issued',
    subject: `operator/${operator.id}`,
    details: { resetsTwoStep },
  } as const
  await audit(access, db, entry)
  // In the fragment, so that it is in no server's log.
  return { operator, address: `${publicUrl}/operator/link#${token}`, expiresAt }
}

/**
 * Sets a password by a one-time link and ends all sessions of the operator. A second factor stays required unless the
 * link resets it. Throws a 400 for an invalid token or password.
 */
export async function redeemOperatorLink(access: Access, token: string, password: string): Promise<void> {
  const hashes = hashesOfSecret(access, LINK, token)
  const link = await findOperatorLink(access.database, hashes, access.now())
  const operator = link && (await findOperator(access.database, link.operatorId))
  if (!link || !operator) throw badField('token', UNKNOWN)
  const fault = await findPasswordFault(password, operator)
  if (fault) throw badField('password', fault)
  const hash = await access.hashing.hash(password)
  await inTransaction(access.database, async (db) => {
    if (!(await consumeOperatorLink(db, hashes, access.now()))) throw badField('token', UNKNOWN)
    await setOperatorPassword(db, operator.id, hash)
    if (link.resetsTwoStep) await clearOperatorTwoStep(db, operator.id)
    await endSessionsOfOperator(db, operator.id)
    await audit(access, db, { instanceId: null, action: 'operator.password-set', subject: `operator/${operator.id}` })
  })
}

async function findOrAdd(access: LinkAccess, db: Db, { email, name }: LinkRequest): Promise<Operator> {
  const account = normalizeEmail(email)
  const known = await findLoginOperator(db, account)
  if (known) return known
  const id = randomUUID()
  await insertOperator(db, { id, email: account, name: name?.trim() || account }, access.now())
  // Read by its address: of two requests at once, the other may have been first.
  const made = await findLoginOperator(db, account)
  if (!made) throw new Error('the operator is gone')
  if (made.id === id) await audit(access, db, { instanceId: null, action: 'operator.created', subject: `operator/${id}`, after: made })
  return made
}
