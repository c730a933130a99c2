import { Check } from 'typebox/value'
import { type FormAuthorization, type FormField, InputRefused } from '../contract/authorization.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { addressField, reachTypedAddress, requireAddress } from '../toolkit/typed-address.ts'
import { holderQuery, nameOf } from './holder.ts'
import { errorReason, get, type MambuSecret, refuse } from './request.ts'
import { refusals } from './texts.ts'
import { HolderAnswer } from './wire.ts'

const EXAMPLE = { en: 'https://bank.mambu.com', 'fr-CA': 'https://banque.mambu.com' }

const fields: readonly FormField[] = [
  addressField(
    { en: 'Address of the bank’s Mambu', 'fr-CA': 'Adresse du Mambu de la banque' },
    { en: 'For example https://bank.mambu.com', 'fr-CA': 'Par exemple https://banque.mambu.com' },
  ),
  {
    name: 'apiKey',
    type: 'password',
    label: { en: 'API key', 'fr-CA': 'Clé API' },
    hint: {
      en: 'Your bank makes it under Access, API consumers. Reading clients, deposits and loans is enough.',
      'fr-CA': 'Votre banque la crée sous Accès, Consommateurs d’API. La lecture des clients, des dépôts et des prêts suffit.',
    },
    required: true,
    autocomplete: 'off',
  },
  {
    name: 'holder',
    type: 'text',
    label: { en: 'ID of the client or group', 'fr-CA': 'Identifiant du client ou du groupe' },
    hint: { en: 'Stands on the first page of the business in Mambu.', 'fr-CA': 'Figure sur la première page de l’entreprise dans Mambu.' },
    required: true,
    autocomplete: 'off',
  },
]

/** Form login. Checks the address, the key and the ID one after the other, so that the error names the right field. */
export const mambuForm: FormAuthorization = {
  step: 'form',
  fields,
  async submit(kit, values) {
    const holderId = (values.holder ?? '').trim()
    if (!/^[^\s/?#]{1,100}$/.test(holderId)) throw new InputRefused(refusals.noHolder, 'holder')
    const login = { address: toAddress(values.address ?? ''), apiKey: (values.apiKey ?? '').trim(), holderId }
    const { secret, answer } = await findHolder(kit, login)
    await checkAccess(kit, secret)
    return { credentials: { secret, expiresAt: null }, entity: { id: answer.encodedKey, name: nameOf(answer) } }
  },
}

/** Base URL: a tenant's name is sufficient; of a copied URL only the host counts. */
function toAddress(typed: string): string {
  const name = typed.trim()
  return requireAddress(/^[\w-]+(\.sandbox)?$/.test(name) ? `${name}.mambu.com` : name, EXAMPLE, { page: /^.*$/ })
}

async function findHolder(kit: Kit, login: Omit<MambuSecret, 'holder'>) {
  for (const holder of ['clients', 'groups'] as const) {
    const response = await reachTypedAddress(get(kit, login, `${holder}/${encodeURIComponent(login.holderId)}`), refusals.unreachable)
    if (response.status === 404 && errorReason(response) !== '') continue
    refuseFirst(kit, response)
    return { secret: { ...login, holder }, answer: await readHolder(response) }
  }
  throw new InputRefused(refusals.noHolder, 'holder')
}

async function readHolder(response: HttpResponse) {
  try {
    const answer = await responseJson(response, 'Mambu holder')
    if (Check(HolderAnswer, answer)) return answer
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
  }
  throw new InputRefused(refusals.notMambu, 'address')
}

function refuseFirst(kit: Kit, response: HttpResponse): void {
  const { status } = response
  if (status !== 429 && status >= 300 && errorReason(response) === '') throw new InputRefused(refusals.notMambu, 'address')
  if (status === 401) throw new InputRefused(refusals.wrongKey, 'apiKey')
  if (status === 403) throw new InputRefused(refusals.noAccess, 'apiKey')
  refuse(kit, response, 'the account holder')
}

async function checkAccess(kit: Kit, secret: MambuSecret): Promise<void> {
  for (const list of ['deposits', 'loans']) {
    const response = await get(kit, secret, `${list}?${holderQuery(secret)}&limit=1`)
    if (response.status === 403) throw new InputRefused(refusals.noAccess, 'apiKey')
    refuse(kit, response, list)
  }
}
