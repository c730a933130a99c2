import type { LocalizedText } from '../../model/values/text.ts'
import { type FormAuthorization, type FormField, InputRefused } from '../contract/authorization.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { addressField, otherSoftware, reachTypedAddress, requireAddress } from '../toolkit/typed-address.ts'
import { readCurrencyCode } from './currencies.ts'
import { ask, type HledgerPath, type HledgerSecret } from './request.ts'

const EXAMPLE = { en: 'https://books.example.com', 'fr-CA': 'https://livres.example.com' }

const fields: readonly FormField[] = [
  addressField(
    { en: 'Address of your hledger-web server', 'fr-CA': 'Adresse de votre serveur hledger-web' },
    { en: 'For example https://books.example.com', 'fr-CA': 'Par exemple https://livres.example.com' },
  ),
  {
    name: 'user',
    type: 'text',
    label: { en: 'User name', 'fr-CA': 'Nom d’utilisateur' },
    hint: { en: 'Only if the server asks for one.', 'fr-CA': 'Seulement si le serveur en demande un.' },
    required: false,
    autocomplete: 'username',
  },
  {
    name: 'password',
    type: 'password',
    label: { en: 'Password', 'fr-CA': 'Mot de passe' },
    required: false,
    autocomplete: 'current-password',
  },
  {
    name: 'dollar',
    type: 'text',
    label: { en: 'Currency of amounts in $', 'fr-CA': 'Devise des montants en $' },
    hint: {
      en: 'A three-letter code, for example CAD. Leave it empty if your journal does not use the $ sign.',
      'fr-CA': 'Un code de trois lettres, par exemple CAD. Laissez ce champ vide si votre journal n’utilise pas le signe $.',
    },
    required: false,
  },
]

const refusals = {
  notHledger: otherSoftware('hledger-web'),
  wrongPassword: {
    en: 'The server did not accept this user name and password.',
    'fr-CA': 'Le serveur n’a pas accepté ce nom d’utilisateur et ce mot de passe.',
  },
  noCurrency: {
    en: 'This is not the three-letter code of a currency. Example: CAD',
    'fr-CA': 'Ce n’est pas le code de trois lettres d’une devise. Exemple : CAD',
  },
  noAccess: {
    en: 'This server lets nobody read the journal. Start hledger-web so that viewing is allowed.',
    'fr-CA': 'Ce serveur ne laisse personne lire le journal. Démarrez hledger-web en permettant la lecture.',
  },
} satisfies Record<string, LocalizedText>

/** Form login. Requests the version, then the accounts, so that the error names the right field. */
export const hledgerForm: FormAuthorization = {
  step: 'form',
  fields,
  async submit(kit, values) {
    const address = requireAddress(values.address ?? '', EXAMPLE)
    const dollar = requireCurrency(values.dollar ?? '')
    const secret: HledgerSecret = { address, user: (values.user ?? '').trim(), password: values.password ?? '', dollar }
    if (typeof (await askJson(kit, secret, 'version')) !== 'string') throw new InputRefused(refusals.notHledger, 'address')
    if (!Array.isArray(await askJson(kit, secret, 'accountnames'))) throw new InputRefused(refusals.notHledger, 'address')
    const id = address.replace(/^https?:\/\//, '')
    return { credentials: { secret, expiresAt: null }, entity: { id, name: id } }
  },
}

/** Empty when nothing was typed. */
function requireCurrency(typed: string): string {
  if (typed.trim() === '') return ''
  const code = readCurrencyCode(typed)
  if (code === null) throw new InputRefused(refusals.noCurrency, 'dollar')
  return code
}

async function askJson(kit: Kit, secret: HledgerSecret, path: HledgerPath) {
  const response = await reachTypedAddress(ask(kit, secret, path))
  if (response.status === 401) throw new InputRefused(refusals.wrongPassword, 'password')
  if (response.status === 403) throw new InputRefused(refusals.noAccess, 'address')
  if (response.status === 429) throw new SourceError('rateLimited', 'hledger-web asks to wait', { retryAfterMs: 60_000 })
  if (response.status !== 200) throw new InputRefused(refusals.notHledger, 'address')
  try {
    return await responseJson(response, path)
  } catch (error) {
    if (error instanceof SourceError) throw new InputRefused(refusals.notHledger, 'address')
    throw error
  }
}
