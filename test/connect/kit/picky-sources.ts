import { bankFiles } from '../../../src/connectors/bank-files/index.ts'
import { InputRefused, type RedirectRequest } from '../../../src/connectors/contract/authorization.ts'
import { type Connector, type ConnectorDescription, SourceError } from '../../../src/connectors/contract/contract.ts'

const MEGABYTE = 1024 * 1024
/** Limit of `smallFiles`: no whole number of megabytes. */
export const SMALL_BYTES = 1.5 * MEGABYTE

const DESCRIPTION = {
  description: { 'en-CA': 'For tests.', 'fr-CA': 'Pour les essais.' },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts'],
  appKeys: [],
  hosts: {},
  refreshHours: 24,
} as const

const ENTITIES = { Accounts: { wire: {}, map: { version: 1, fields: {} } } }

/** Statement files as `bank-files` takes them, smaller ones only. */
export const smallFiles: ConnectorDescription = {
  ...bankFiles,
  key: 'small-files',
  load: async () => {
    const connector = await bankFiles.load()
    if (connector.authorize.step !== 'upload') throw new Error('no longer an upload')
    return { ...connector, authorize: { ...connector.authorize, maxBytes: SMALL_BYTES } }
  },
}

/** A source whose form fails as the field `how` says; with any other value it connects. */
export const pickyForm: ConnectorDescription = {
  ...DESCRIPTION,
  key: 'picky-form',
  name: 'Livre difficile',
  title: 'Livre difficile',
  link: 'form',
  load: async (): Promise<Connector> => ({
    authorize: {
      step: 'form',
      fields: [{ name: 'how', type: 'text', label: { en: 'How', 'fr-CA': 'Comment' }, required: true }],
      submit: async (_kit, { how = '' }) => {
        if (how === 'busy') throw new SourceError('rateLimited', 'too often')
        if (how === 'over') throw new SourceError('reconnect', 'access has ended')
        if (how === 'broken') throw new Error('a fault of ours')
        if (how === 'elsewhere') throw new InputRefused({ en: 'Not like this.', 'fr-CA': 'Pas comme ça.' }, 'nowhere')
        return { credentials: { secret: null, expiresAt: null }, entity: { id: how, name: 'Books' } }
      },
    },
    pulls: [],
    entities: ENTITIES,
  }),
}

/** A source that sends owners to `url`, and keeps what it was asked; with null it does not answer. */
export function redirectTo(url: string | null): { source: ConnectorDescription; starts: RedirectRequest[] } {
  const starts: RedirectRequest[] = []
  const source: ConnectorDescription = {
    ...DESCRIPTION,
    key: 'redirects',
    name: 'Renvois',
    title: 'Renvois',
    link: 'redirect',
    load: async (): Promise<Connector> => ({
      authorize: {
        step: 'redirect',
        start: async (_kit, request) => {
          starts.push(request)
          if (url === null) throw new SourceError('unavailable', 'no answer')
          return { url: request.locale === 'fr-CA' ? 'javascript:alert(1)' : url }
        },
        complete: async () => [],
      },
      pulls: [],
      entities: ENTITIES,
    }),
  }
  return { source, starts }
}
