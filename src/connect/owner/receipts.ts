import { CompactSign, compactVerify, errors, exportJWK, type JWK } from 'jose'
import { localizeSourceName } from '../../model/texts/source-names.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import type { Locale } from '../../model/values/text.ts'
import type { KeyRing } from '../../store/keys/key-ring.ts'
import type { SigningKey } from '../../store/keys/keys.ts'
import type { ReceiptKind } from '../../store/owners/receipts.ts'
import { BEING_DELETED } from '../../sync/exports/left-behind.ts'
import type { DestinationsStated } from '../../sync/owner/complete-receipts.ts'
import type { ReceiptFacts } from '../../sync/owner/owner-actions.ts'
import { TEXTS } from '../texts/locale.ts'
import type { OwnerVisit } from '../visit/visitor.ts'

const ALGORITHM = 'EdDSA'
/** Token type: distinguishes a receipt from anything else signed with the same keys. */
const TYPE = 'countinghouse-receipt+json'
const MAX_SIGNED = 20_000

/** Content of a receipt; times are ISO 8601 in UTC. `timeZone` is the owner's; absent in older receipts. */
export interface ReceiptDocument {
  id: string
  kind: ReceiptKind
  issuedBy: string
  issuedAt: string
  timeZone?: string
  company: { id: string; name: string }
  permissionGivenTo: { id: string; name: string }
  /** `entity` is empty for uploaded files. */
  connection: { id: string; service: Record<Locale, string>; entity: string; connectedAt: string }
  /** Consents that ended with it; `textHash` is the SHA-256 of the agreed text. */
  consents: { id: string; givenAt: string; language: Locale; purpose: string; textHash: string }[]
  held: { accounts: number; transactions: number; rawPages: number }
  /** Latest time at which the data is deleted. */
  deletedBy: string
  /** Where it had been exported to; absent: nowhere that is known here. */
  destinations?: DestinationsStated
  statement: Record<Locale, string[]>
}

const DELETION_MS = 24 * 3_600_000

export async function signReceipt(
  deps: { signing: KeyRing<SigningKey>; baseUrl: string },
  owner: OwnerVisit,
  facts: ReceiptFacts,
): Promise<string> {
  const { id, privateKey } = deps.signing.newest
  const bytes = Buffer.from(JSON.stringify(toDocument(deps.baseUrl, owner, facts)))
  return await new CompactSign(bytes).setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id }).sign(privateKey)
}

/** Null for anything but a receipt signed by one of our keys. */
export async function readReceipt(signing: KeyRing<SigningKey>, signed: string): Promise<ReceiptDocument | null> {
  if (signed.length > MAX_SIGNED) return null
  try {
    const { payload, protectedHeader } = await compactVerify(
      signed,
      ({ kid }) => {
        const key = signing.find(kid ?? '')
        if (!key) throw new errors.JWSInvalid('signed by a key that is not ours')
        return key.publicKey
      },
      { algorithms: [ALGORITHM] },
    )
    return protectedHeader.typ === TYPE ? (JSON.parse(Buffer.from(payload).toString('utf8')) as ReceiptDocument) : null
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

/** Public keys of all receipts ever signed here. Source: https://www.rfc-editor.org/rfc/rfc8037#section-2 */
export async function listReceiptKeys(signing: KeyRing<SigningKey>): Promise<JWK[]> {
  return await Promise.all(
    signing.all.map(async ({ id, publicKey }) => ({ ...(await exportJWK(publicKey)), kid: id, alg: ALGORITHM, use: 'sig' })),
  )
}

function toDocument(baseUrl: string, owner: OwnerVisit, facts: ReceiptFacts): ReceiptDocument {
  const { connection, consents, held, kind } = facts
  const { instance, company } = owner
  const serviceOf = (locale: Locale) => safeDisplayName(localizeSourceName(facts.serviceName, locale))
  const state = (locale: Locale) => {
    const texts = TEXTS[locale].receipt
    return [
      texts[kind](owner.requester, serviceOf(locale), owner.business),
      ...(facts.isExported ? [BEING_DELETED[locale]] : []),
      texts.copies(owner.requester),
    ]
  }
  return {
    ...{ id: facts.id, kind, issuedBy: baseUrl, issuedAt: facts.issuedAt.toISOString(), timeZone: owner.zone },
    company: { id: company.id, name: company.name },
    permissionGivenTo: { id: instance.id, name: owner.pages.publicName || instance.name },
    connection: {
      ...{ id: connection.id, service: { en: serviceOf('en'), 'fr-CA': serviceOf('fr-CA') } },
      entity: facts.isFiles ? '' : connection.entityName,
      connectedAt: connection.connectedAt.toISOString(),
    },
    consents: consents.map(({ id, givenAt, language, purposeKey, purposeVersion, textHash }) => ({
      ...{ id, givenAt: givenAt.toISOString(), language, purpose: `${purposeKey}/${purposeVersion}`, textHash },
    })),
    held,
    deletedBy: (connection.eraseAt ?? new Date(facts.issuedAt.getTime() + DELETION_MS)).toISOString(),
    ...(facts.isExported ? { destinations: { state: 'being-deleted', left: [] } } : {}),
    statement: { en: state('en'), 'fr-CA': state('fr-CA') },
  }
}
