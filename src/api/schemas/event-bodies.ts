import { type TSchema, Type } from 'typebox'
import { ACTOR_KINDS } from '../../audit/actor.ts'
import { ACCOUNT_CHANGES, AUDIT_EVENT, type ConnectionEventKind, ISSUED_AS } from '../../model/events.ts'
import { FaultCode } from './fault-shapes.ts'
import { orNull, PlainTimestamp, strict, Uuid } from './schemas.ts'

const Text = Type.String()

/** Common members of every event. */
const shared = {
  SessionShareId: Type.String({ format: 'uuid', description: 'The connection’s sessionId' }),
  CompanyId: Uuid,
  AccountExternalId: orNull(
    Type.String({ description: 'Your own id of the company, `externalId`, as it was then; null when it had none' }),
  ),
  ApplicationId: orNull(
    Type.String({
      format: 'uuid',
      description:
        'The `applicationId` of the API key that made the link by which the connection was last authorized; null: a user made it',
    }),
  ),
  ServiceId: Uuid,
  ServiceName: Text,
  CategoryName: Text,
  CategoryId: Uuid,
  Email: Text,
  IssuedAs: Type.String({
    title: 'IssuedAs',
    enum: [...ISSUED_AS],
    description:
      'What brought it about: a person or a program in its name (the reading after a sign-in among them), the schedule (also a watched folder, or time that ran out), or a hint of the source',
  }),
  ModifiedOn: PlainTimestamp,
}

const Fields = (description: string) =>
  orNull(
    Type.Object(
      {},
      {
        additionalProperties: orNull(Type.Union([Text, Type.Boolean()])),
        description: `${description} Names as in the account lists, amounts as exact text (the signature inside the body is over canonical JSON, which a receiver makes again from what it has parsed: a fraction would come out of a double differently), account numbers masked.`,
      },
    ),
  )

const AccountChange = strict(
  {
    AccountId: Type.String({ format: 'uuid', description: 'The normalized id' }),
    OrigId: Type.String({ description: 'As in the account lists' }),
    Change: Type.String({ enum: [...ACCOUNT_CHANGES] }),
    Before: Fields('All fields of a deleted account, those of a changed one that differ; null when it was not there before.'),
    After: Fields('All fields of a created or restored account, those of a changed one that differ; null when it is gone.'),
  },
  { title: 'AccountChange' },
)

const KINDS: Record<ConnectionEventKind, { summary: string; description: string; adds: Record<string, TSchema> }> = {
  RawData: { summary: 'The source was read', description: 'Comes with NormalizedData.', adds: {} },
  NormalizedData: { summary: 'Normalized data is ready to be read', description: 'Sent when it can be read, never before.', adds: {} },
  ReadyToUseData: { summary: 'Data is ready to be used', description: 'Comes with NormalizedData.', adds: {} },
  AccountsChanged: {
    summary: 'Accounts came, went or changed',
    description:
      'Sent when the changes can be read, never before, and not for the first data of a connection. As many events as the changes fill: at most 500 accounts and 20 KiB each.',
    adds: {
      ChangeCount: Type.Integer({ description: 'Changes in all parts together' }),
      Part: Type.Integer({ description: 'From 1' }),
      IsLastPart: Type.Boolean(),
      Changes: Type.Array(AccountChange),
    },
  },
  TransactionsChanged: {
    summary: 'Transactions came, went or changed',
    description:
      'One for each publication that changed any. Sent when the changes can be read, never before, and not for the first data of a connection. Which ones changed: `GET /normalized-data/changes`.',
    adds: {
      ChangeCount: Type.Integer({ description: 'Transactions that came, went, changed or came back' }),
      DeletedCount: Type.Integer({ description: 'Of these, the ones that are gone' }),
    },
  },
  Error: {
    summary: 'A connection is at fault',
    description: 'Comes with any subscription.',
    adds: {
      Code: Type.Union([Type.Integer(), Type.String()], {
        description: 'statusCode of the connection; `FileRefused` for a statement file',
      }),
      Message: Type.String({ description: 'Its statusName, or what happened to the file' }),
      Reason: Type.Union([FaultCode, Type.Null()], { description: 'Why, as the connection’s faultCode; null for a file' }),
      ReasonText: orNull(Type.String({ description: 'The same in fixed English words, never a source’s own' })),
    },
  },
  Suspended: { summary: 'A connection was suspended', description: 'Comes with any subscription.', adds: {} },
  Disconnected: { summary: 'A connection was ended and its data deleted', description: 'Comes with any subscription.', adds: {} },
}

const AuditValues = orNull(
  Type.Object({}, { additionalProperties: orNull(Type.Union([Text, Type.Integer(), Type.Boolean()])), description: 'Values by field' }),
)

const AUDIT = {
  summary: 'An entry of the audit',
  description:
    'For subscriptions of administrators. One entry at a time, in the order of the instance’s chain: while one is not received, those after it wait. After one that was given up, Position leaves a gap; `GET /audit` has the entry.',
  data: {
    Position: Type.Integer({ description: 'In the chain; counts up without a gap. 0: a test event' }),
    Hash: Type.String({ description: 'Hash of the entry in the chain, hexadecimal' }),
    RecordedOn: PlainTimestamp,
    Action: Text,
    Actor: orNull(Type.String({ enum: [...ACTOR_KINDS] })),
    UserId: orNull(Uuid),
    ActorId: orNull(Text),
    Network: orNull(Text),
    RequestId: orNull(Text),
    Subject: orNull(Text),
    Before: AuditValues,
    After: AuditValues,
    Withheld: Type.Array(Text),
    Details: AuditValues,
    IsShortened: Type.Boolean({ description: 'The values were left out: the body would have been larger than 20 KiB' }),
  },
} satisfies Omit<Webhook, 'kind' | 'of'>

/** OpenAPI description of the events sent to subscribers. */
export function describeEvents(): Record<string, object> {
  const ofConnections = Object.entries(KINDS).map(([kind, { summary, description, adds }]) => [
    kind,
    toWebhook({ kind, of: 'DataConnection', summary, description, data: { ...shared, ...adds } }),
  ])
  return Object.fromEntries([...ofConnections, [AUDIT_EVENT, toWebhook({ kind: AUDIT_EVENT, of: 'Audit', ...AUDIT })]])
}

interface Webhook {
  kind: string
  of: string
  summary: string
  description: string
  data: Record<string, TSchema>
}

function toWebhook({ kind, of, summary, description, data }: Webhook): object {
  const titleOfData =
    of === 'DataConnection' && Object.keys(data).length === Object.keys(shared).length ? 'ConnectionEventData' : `${kind}EventData`
  const schema = strict(
    {
      Class: Type.Literal(of),
      MessageType: Type.Literal(kind),
      Identifier: Type.String({ description: `${kind}. and a UUID: the key against duplicates` }),
      Data: strict(data, { title: titleOfData }),
      Signature: Type.String({ description: 'Hexadecimal' }),
    },
    { title: `${kind}Event` },
  )
  const post = {
    tags: ['Events'],
    summary,
    description,
    operationId: `on${kind}`,
    security: [],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 200: { description: 'Any status from 200 to 299 within 15 s: received' } },
  }
  return { post }
}
