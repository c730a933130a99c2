import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { type Connector, type ConnectorDescription, SourceError } from '../../../src/connectors/contract/contract.ts'

/**
 * A source with a form; its `address` selects the behavior: `down` does not answer, `odd` answers nonsense, any other
 * accepts `secret `.
 */
export const formSource: ConnectorDescription = {
  key: 'form-source',
  name: 'Grand livre',
  title: 'Grand livre',
  description: { 'en-CA': 'A ledger for tests.', 'fr-CA': 'Un grand livre pour les essais.' },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts'],
  link: 'form',
  appKeys: [],
  hosts: {},
  refreshHours: 6,
  load: async () => connector,
}

const connector: Connector = {
  authorize: {
    step: 'form',
    fields: [
      {
        name: 'address',
        type: 'url',
        label: { en: 'Address of the server', 'fr-CA': 'Adresse du serveur' },
        hint: { en: 'Example: https://ledger.example.com', 'fr-CA': 'Exemple : https://ledger.example.com' },
        required: true,
        autocomplete: 'url',
      },
      { name: 'note', type: 'text', label: { en: 'Note', 'fr-CA': 'Note' }, required: false },
      {
        name: 'password',
        type: 'password',
        label: { en: 'Password', 'fr-CA': 'Mot de passe' },
        required: true,
        autocomplete: 'current-password',
      },
    ],
    submit: async (_kit, values) => {
      if (values.address === 'down') throw new SourceError('unavailable', 'no answer')
      if (values.address === 'odd') throw new SourceError('badData', 'nonsense')
      if (values.password !== 'secret ') {
        throw new InputRefused({ en: 'This password was not accepted.', 'fr-CA': 'Ce mot de passe a été refusé.' }, 'password')
      }
      return { credentials: { secret: null, expiresAt: null }, entity: { id: values.address ?? '', name: values.note || 'Books <b>1</b>' } }
    },
  },
  pulls: [],
  entities: { Accounts: { wire: {}, map: { version: 1, fields: {} } } },
}
