import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Connector, type Credentials, type Institution, type InstitutionPage, type Kit, SourceError } from '../contract/contract.ts'
import { accountsPull } from './accounts.ts'
import { flinksConnect } from './authorization.ts'
import { toFingerprint } from './fingerprint.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { askFlinks, callFlinks, FlinksError } from './request.ts'
import { readSecret } from './secret.ts'
import { fetchToken } from './session.ts'
import { transactionsPull } from './transactions.ts'
import { readFlinksWebhook } from './webhook.ts'
import { FlinksAccount, FlinksTransaction, InstitutionsAnswer, InstitutionWire } from './wire.ts'

/** Maximum page size of the directory. */
const DIRECTORY_PAGE = 1_000

export const flinksConnector: Connector = {
  authorize: flinksConnect,
  checkApp,
  pulls: [accountsPull, transactionsPull],
  entities: {
    Accounts: { wire: FlinksAccount, map: toBankAccount },
    Transactions: { wire: FlinksTransaction, map: toBankTransaction },
  },
  reidentify: { account: toFingerprint, renumbersTransactions: true },
  disconnect,
  listInstitutions,
  readWebhook: readFlinksWebhook,
}

/** Checks the app keys. The customer is part of every URL: 404 means that it does not exist. */
async function checkApp(kit: Kit): Promise<void> {
  try {
    await fetchToken(kit)
  } catch (error) {
    if (!(error instanceof FlinksError) || error.status !== 404) throw error
    throw new SourceError('unavailable', `${error.message}: there is no such customer`, { isClientRefused: true })
  }
}

async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  const { loginId, replaced } = readSecret(credentials)
  for (const id of [loginId, ...replaced]) {
    try {
      await callFlinks(kit, { method: 'DELETE', path: '/DeleteCard/*', id, auth: 'keys' })
    } catch (error) {
      // Already deleted: 404, or 400 with a corresponding sentence.
      if (!(error instanceof FlinksError) || (error.status !== 404 && error.status !== 400)) throw error
    }
  }
}

/** About 250 banks and caisses. Source: https://docs.flinks.com/api/connect/endpoints/account-linking/institutions */
async function listInstitutions(kit: Kit, cursor: Json | null): Promise<InstitutionPage> {
  const skip = cursor ?? 0
  if (typeof skip !== 'number' || !Number.isSafeInteger(skip) || skip < 0)
    throw new SourceError('badData', 'the cursor of the directory is no place')
  const query = { take: String(DIRECTORY_PAGE), skip: String(skip) }
  const { Data, Count } = await askFlinks(kit, { path: '/Institutions', query, auth: 'keys' }, InstitutionsAnswer)
  const next = skip + Data.length
  if (Data.length === 0 && next < Count) throw new SourceError('badData', 'the directory promises more and shows nothing')
  return { institutions: Data.flatMap(toInstitution), next: next < Count ? next : null }
}

/** Left out: institutions without a name and disabled ones. A bank is found by its English and by its French name. */
function toInstitution(wire: unknown): Institution[] {
  if (!Check(InstitutionWire, wire) || (wire.Status ?? 'Enabled') !== 'Enabled') return []
  const names = ['en', 'fr'].flatMap((language) => textIn(wire, language)?.Name?.trim() || [])
  const name = [...new Set(names)].join(' / ')
  if (name === '') return []
  const url = ['en', 'fr'].map((language) => textIn(wire, language)?.Urls?.[0]?.Url).find((each) => each) ?? null
  return [{ id: String(wire.Id), name, countries: [(wire.Country ?? 'CA').toUpperCase()], routingNumbers: [], url }]
}

function textIn({ Localizations }: InstitutionWire, language: string): InstitutionWire['Localizations'][number] | undefined {
  return Localizations.find(({ Language }) => Language?.toLowerCase().startsWith(language))
}
