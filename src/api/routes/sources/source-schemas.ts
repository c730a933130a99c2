import { Type } from 'typebox'
import { CATEGORIES } from '../../../model/catalogue.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

export const CALLBACKS = ['own', 'shared'] as const

const Localized = strict({ en: Type.String(), 'fr-CA': Type.String() })

const TestResult = Type.String({
  enum: ['accepted', 'refused', 'untested'],
  description: 'What the source said when it was asked; untested where it could not be asked',
})

const Key = strict(
  {
    name: Type.String({ examples: ['clientId'] }),
    isRequired: Type.Boolean(),
    isSecret: Type.Boolean(),
    isLong: Type.Boolean({ description: 'Of several lines, such as a certificate' }),
    label: Localized,
    hint: orNull(Localized),
    setOn: orNull(PlainTimestamp),
    setBy: orNull(Type.String({ description: 'E-mail address; null when nobody set it or the user is gone' })),
    example: orNull(Type.String({ description: 'What the simulator takes, in the sandbox' })),
  },
  { title: 'SourceKey' },
)

export const SourceShape = strict(
  {
    key: Type.String({ examples: ['xero'] }),
    serviceId: Uuid,
    name: Type.String(),
    category: Type.String({ enum: [...CATEGORIES] }),
    environment: Type.String({ enum: ['sandbox', 'production'] }),
    isEnabled: Type.Boolean({ description: 'Whether links to it can be made' }),
    closedBy: orNull(Type.String({ enum: ['noKeys', 'hidden'], description: 'Why no link can be made' })),
    isHidden: Type.Boolean(),
    keysFrom: Type.String({
      enum: ['instance', 'deployment', 'simulator', 'none', 'unneeded'],
      description: 'Whose keys new connections use',
    }),
    keys: Type.Array(Key),
    tested: orNull(strict({ result: TestResult, reason: Type.String(), on: PlainTimestamp })),
    connections: Type.Integer(),
    connectionsOfOtherApps: Type.Integer({
      description: 'Connections that were made with another app: they go on with it until their owners connect again',
    }),
    callback: Type.String({ enum: [...CALLBACKS], description: 'Which redirect address is registered for your own app, or is to be' }),
    callbackUrl: Type.String({ format: 'uri', description: 'To be registered at the source as the redirect address' }),
    webhookUrl: Type.String({ format: 'uri', description: 'To be registered at the source where it sends webhooks about your own app' }),
  },
  { title: 'Source' },
)

const Value = Type.String({ maxLength: 20_000, description: 'An empty text removes the key' })

export const KeysInput = strict({
  callback: Type.Optional(
    Type.String({
      enum: [...CALLBACKS],
      description:
        'Redirect address that is registered for the app: `own` for `/connect/callback/{sourceKey}`, `shared` for `/connect/callback`, which all sources share. Left out, it stays; the first keys have `own`',
    }),
  ),
  keys: Type.Record(Type.String({ maxLength: 100 }), Value, {
    maxProperties: 20,
    description: 'By name. What is left out stays as it is, as long as the app is the same one',
    examples: [{ clientId: '…', clientSecret: '…' }],
  }),
})

export const SavedShape = strict(
  {
    result: Type.String({ enum: ['accepted', 'untested'] }),
    reason: Type.String({ description: 'Why the source could not be asked; empty when it took the keys' }),
    connectionsOfOtherApps: Type.Integer(),
  },
  { title: 'SavedKeys' },
)

export const TestedShape = strict({ result: TestResult, reason: Type.String() }, { title: 'TestedKeys' })

export const RemovedShape = strict(
  {
    connectionsToReconnect: Type.Integer({ description: 'Connections that cannot be read any more until their owners connect again' }),
  },
  { title: 'RemovedKeys' },
)

export const VisibilityInput = strict({ isHidden: Type.Boolean() })

export const sourcePath = strict({ sourceKey: Type.String({ minLength: 1, maxLength: 100, examples: ['xero'] }) })
