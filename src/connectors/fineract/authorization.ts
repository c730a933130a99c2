import { type FormAuthorization, type FormField, InputRefused } from '../contract/authorization.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { addressField, reachTypedAddress, requireAddress } from '../toolkit/typed-address.ts'
import { readDay } from './dates.ts'
import { checkAnswer, errorCode, type FineractSecret, get, openSecret, readSecret, refuse } from './request.ts'
import { refusals } from './texts.ts'
import { AccountsAnswer, ClientAnswer } from './wire.ts'

const EXAMPLE = { en: 'https://bank.example.com', 'fr-CA': 'https://banque.exemple.com' }

const fields: readonly FormField[] = [
  addressField(
    { en: 'Address of Fineract', 'fr-CA': 'Adresse de Fineract' },
    {
      en: 'The server alone, or the address that ends in /api/v1.',
      'fr-CA': 'Le serveur seul, ou l’adresse qui se termine par /api/v1.',
    },
  ),
  {
    name: 'tenant',
    type: 'text',
    label: { en: 'Tenant', 'fr-CA': 'Locataire (tenant)' },
    hint: { en: 'Usually: default', 'fr-CA': 'Habituellement : default' },
    required: true,
    autocomplete: 'off',
  },
  {
    name: 'clientId',
    type: 'text',
    label: { en: 'Client number of the business', 'fr-CA': 'Numéro de client de l’entreprise' },
    hint: { en: 'The id at the end of the client’s page.', 'fr-CA': 'L’identifiant à la fin de l’adresse de la page du client.' },
    required: true,
    autocomplete: 'off',
  },
  { name: 'user', type: 'text', label: { en: 'User', 'fr-CA': 'Utilisateur' }, required: true, autocomplete: 'username' },
  {
    name: 'password',
    type: 'password',
    label: { en: 'Password', 'fr-CA': 'Mot de passe' },
    hint: { en: 'A user who may only read is enough.', 'fr-CA': 'Un utilisateur qui peut seulement lire suffit.' },
    required: true,
    autocomplete: 'current-password',
  },
  {
    name: 'tokenAddress',
    type: 'url',
    label: { en: 'Token address (OAuth 2.0)', 'fr-CA': 'Adresse des jetons (OAuth 2.0)' },
    hint: {
      en: 'Only where an identity provider such as Keycloak stands before Fineract. Left empty, user and password are sent with each call.',
      'fr-CA':
        'Seulement si un fournisseur d’identité tel que Keycloak précède Fineract. Vide, l’utilisateur et le mot de passe sont envoyés à chaque appel.',
    },
    required: false,
    autocomplete: 'off',
  },
  {
    name: 'oauthClient',
    type: 'text',
    label: { en: 'OAuth client', 'fr-CA': 'Client OAuth' },
    hint: { en: 'For example community-app', 'fr-CA': 'Par exemple community-app' },
    required: false,
    autocomplete: 'off',
  },
  {
    name: 'oauthSecret',
    type: 'password',
    label: { en: 'OAuth client secret', 'fr-CA': 'Secret du client OAuth' },
    required: false,
    autocomplete: 'off',
  },
]

/** Page path at the end of a copied URL. */
const PAGE = /\/(fineract-provider\/)?(swagger-ui|api-docs|actuator)(\/.*)?$/

/**
 * Form login. Checks the address, the login and the client one after the other, so that the error names the right
 * field.
 */
export const fineractForm: FormAuthorization = {
  step: 'form',
  fields,
  async submit(kit, values) {
    const credentials = await obtainToken(kit, readTyped(values))
    const secret = readSecret(credentials)
    const client = await readClient(kit, secret)
    await checkAccess(kit, secret)
    return { credentials, entity: { id: toEntityId(secret, client), name: client.displayName ?? secret.clientId } }
  },
}

/** Entity id `tenant/client/day of activation`: survives a change of address and reveals a replaced database. */
export function toEntityId({ tenant, clientId }: FineractSecret, client: { activationDate?: Parameters<typeof readDay>[0] }): string {
  return [tenant, clientId, readDay(client.activationDate) ?? 'never'].join('/')
}

function readTyped(values: Record<string, string>): FineractSecret {
  const text = (name: string) => (values[name] ?? '').trim()
  const clientId = text('clientId')
  if (!/^\d{1,18}$/.test(clientId)) throw new InputRefused(refusals.noClient, 'clientId')
  const tokenAddress =
    text('tokenAddress') === '' ? '' : requireAddress(text('tokenAddress'), EXAMPLE, { page: PAGE, field: 'tokenAddress' })
  const oauth = { tokenAddress, clientId: text('oauthClient'), clientSecret: text('oauthSecret') }
  return {
    address: toApi(requireAddress(text('address'), EXAMPLE, { page: PAGE })),
    tenant: text('tenant'),
    clientId: clientId.replace(/^0+(?=\d)/, ''),
    user: text('user'),
    password: values.password ?? '',
    ...(tokenAddress === '' ? {} : { oauth }),
  }
}

function toApi(address: string): string {
  if (/\/api\/v1$/.test(address)) return address
  return `${address.replace(/\/fineract-provider(\/api)?$/, '')}/fineract-provider/api/v1`
}

async function obtainToken(kit: Kit, typed: FineractSecret) {
  try {
    return await openSecret(kit, typed)
  } catch (error) {
    if (error instanceof SourceError && error.kind !== 'rateLimited') throw new InputRefused(refusals.noToken, 'tokenAddress')
    throw error
  }
}

async function readClient(kit: Kit, secret: FineractSecret) {
  const response = await reachTypedAddress(get(kit, secret, `clients/${secret.clientId}`))
  const { status } = response
  if (status === 400) throw new InputRefused(refusals.noTenant, 'tenant')
  if (status === 401) throw new InputRefused(refusals.wrongPassword, 'password')
  if (status === 403) throw new InputRefused(refusals.noAccess, 'user')
  if (status === 404 && errorCode(response) !== '') throw new InputRefused(refusals.noClient, 'clientId')
  if (status !== 429 && status !== 200) throw new InputRefused(refusals.notFineract, 'address')
  refuse(kit, response, 'the client')
  try {
    return checkAnswer(ClientAnswer, await responseJson(response, 'Fineract client'), 'the client')
  } catch (error) {
    if (error instanceof SourceError) throw new InputRefused(refusals.notFineract, 'address')
    throw error
  }
}

async function checkAccess(kit: Kit, secret: FineractSecret): Promise<void> {
  const response = await get(kit, secret, `clients/${secret.clientId}/accounts`)
  if (response.status === 403) throw new InputRefused(refusals.noAccess, 'user')
  refuse(kit, response, 'the accounts')
  checkAnswer(AccountsAnswer, await responseJson(response, 'Fineract accounts'), 'the accounts')
}
