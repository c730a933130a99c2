import type { Static } from 'typebox'
import { type FormAuthorization, type FormField, InputRefused } from '../contract/authorization.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { addressField, reachTypedAddress, requireAddress } from '../toolkit/typed-address.ts'
import { get, type HelixSecret, openEnvelope, refuse } from './request.ts'
import { refusals } from './texts.ts'
import { CustomerData } from './wire.ts'

const EXAMPLE = { en: 'https://api.corepro.io', 'fr-CA': 'https://api.corepro.io' }

/**
 * Form fields. The person who connects enters the API key: with a key of the operator, anybody could read any customer
 * by guessing numbers.
 */
const fields: readonly FormField[] = [
  addressField(
    { en: 'Address of Helix', 'fr-CA': 'Adresse de Helix' },
    { en: 'As the program received it with its key.', 'fr-CA': 'Telle que le programme l’a reçue avec sa clé.' },
  ),
  { name: 'apiKey', type: 'text', label: { en: 'API key', 'fr-CA': 'Clé API' }, required: true, autocomplete: 'off' },
  { name: 'secret', type: 'password', label: { en: 'API secret', 'fr-CA': 'Secret API' }, required: true, autocomplete: 'off' },
  {
    name: 'customerId',
    type: 'text',
    label: { en: 'Customer number of the business', 'fr-CA': 'Numéro de client de l’entreprise' },
    hint: { en: 'customerId in the program.', 'fr-CA': 'customerId dans le programme.' },
    required: true,
    autocomplete: 'off',
  },
]

/**
 * Form login. Checks the address, the key and the number one after the other, so that the error names the right field.
 */
export const helixForm: FormAuthorization = {
  step: 'form',
  fields,
  async submit(kit, values) {
    const address = requireAddress(values.address ?? '', EXAMPLE)
    const customerId = (values.customerId ?? '').trim()
    if (!/^\d{1,15}$/.test(customerId)) throw new InputRefused(refusals.noCustomer, 'customerId')
    const secret = { address, apiKey: (values.apiKey ?? '').trim(), secret: (values.secret ?? '').trim(), customerId }
    const customer = await findCustomer(kit, secret)
    const name = [customer.firstName, customer.lastName].filter(Boolean).join(' ')
    return { credentials: { secret, expiresAt: null }, entity: { id: toEntityId(customer), name: name === '' ? customerId : name } }
  },
}

/** Entity id `customer/instant of creation`: the sandbox reuses the customer numbers of production. */
export function toEntityId({ customerId, createdDate }: Static<typeof CustomerData>): string {
  return [String(customerId), ...(createdDate ? [createdDate] : [])].join('/')
}

async function findCustomer(kit: Kit, secret: HelixSecret): Promise<Static<typeof CustomerData>> {
  const response = await reachTypedAddress(get(kit, secret, `customer/get/${secret.customerId}`), refusals.unreachable)
  const { status } = response
  if (status === 401 || status === 403) throw new InputRefused(refusals.wrongKey, 'secret')
  if (status === 404)
    throw new InputRefused(isHelix(response) ? refusals.noCustomer : refusals.notHelix, isHelix(response) ? 'customerId' : 'address')
  if (status >= 300 && status < 400) throw new InputRefused(refusals.notHelix, 'address')
  refuse(kit, response, 'the customer')
  try {
    return openEnvelope(await responseJson(response, 'Helix customer'), CustomerData, 'the customer')
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new InputRefused(isHelix(response) ? refusals.noCustomer : refusals.notHelix, isHelix(response) ? 'customerId' : 'address')
  }
}

/** Whether the response is from Helix: every response, errors included, has its envelope. */
function isHelix({ body }: HttpResponse): boolean {
  return /"errors"\s*:/.test(new TextDecoder().decode(body.subarray(0, 10_000)))
}
