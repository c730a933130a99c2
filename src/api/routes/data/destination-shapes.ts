import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Replication } from '../../../store/changes/replications.ts'
import type { Destination } from '../../../store/exports/destinations.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import { printChangeCursor } from './change-cursor.ts'

const EVERYTHING = { companyId: null, entity: null }

const name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
const Host = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:-]+$', examples: ['db.example.com'] })
const User = Type.String({ minLength: 1, maxLength: 200 })
const Secret = Type.String({ minLength: 1, maxLength: 20_000, description: 'Kept sealed, never shown' })

const s3 = {
  endpoint: Type.String({
    maxLength: 500,
    description: 'Address of the storage, without a path; the bucket is the first part of the path of each request',
    examples: ['https://s3.ca-central-1.amazonaws.com'],
  }),
  region: Type.String({ pattern: '^[a-z0-9-]{1,50}$', examples: ['ca-central-1'] }),
  bucket: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$' }),
  prefix: Type.String({
    pattern: '^([A-Za-z0-9_=-][A-Za-z0-9_.=-]{0,60}/){0,10}$',
    description: 'Empty when left out',
    examples: ['lending/'],
  }),
  accessKeyId: Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$' }),
}

const sftp = {
  host: Host,
  port: Type.Integer({ minimum: 1, maximum: 65_535, description: '22 when left out' }),
  user: User,
  hostKey: Type.String({
    pattern: '^SHA256:[A-Za-z0-9+/]{43}$',
    description: 'Of the server, as `ssh-keygen -lf` prints it; another key is refused',
  }),
  path: Type.String({
    pattern: '^/[^\\0\\r\\n]*$',
    maxLength: 500,
    description: 'Absolute folder on the server, which exists',
    examples: ['/inbound/exports'],
  }),
}

const postgres = {
  host: Host,
  port: Type.Integer({ minimum: 1, maximum: 65_535, description: '5432 when left out' }),
  database: Type.String({ minLength: 1, maxLength: 63 }),
  user: User,
  schema: Type.String({
    pattern: '^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$',
    description: 'Made where it is missing; the only one that is touched',
    examples: ['countinghouse'],
  }),
  tls: Type.Enum(['verify', 'off'], {
    description:
      '`verify` when left out: encrypted, with a certificate of this host. `off` only where the deployment allows private addresses',
  }),
  certificateAuthority: orNull(
    Type.String({
      maxLength: 20_000,
      description: 'Certificate in PEM that the server’s has to be issued by; the public authorities when left out',
    }),
  ),
}

const S3Input = strict(
  {
    kind: Type.Optional(Type.Literal('s3')),
    name,
    ...s3,
    prefix: Type.Optional(s3.prefix),
    secretAccessKey: Type.String({ pattern: '^[\\x21-\\x7e]{1,500}$', description: 'Kept sealed, never shown' }),
  },
  {
    title: 'BucketDestinationInput',
    examples: [
      {
        ...{ name: 'Lake', endpoint: 'https://s3.ca-central-1.amazonaws.com', region: 'ca-central-1', bucket: 'example-lake' },
        ...{ accessKeyId: '<access-key-id>', secretAccessKey: '<secret>' },
      },
    ],
  },
)
const SftpInput = strict(
  {
    kind: Type.Literal('sftp'),
    name,
    ...sftp,
    port: Type.Optional(sftp.port),
    password: Type.Optional(Secret),
    privateKey: Type.Optional(Secret),
    passphrase: Type.Optional(Secret),
  },
  { title: 'SftpDestinationInput' },
)
const PostgresInput = strict(
  {
    kind: Type.Literal('postgres'),
    name,
    ...postgres,
    port: Type.Optional(postgres.port),
    tls: Type.Optional(postgres.tls),
    certificateAuthority: Type.Optional(postgres.certificateAuthority),
    password: Secret,
  },
  { title: 'DatabaseDestinationInput' },
)
export const DestinationInput = Type.Union([S3Input, SftpInput, PostgresInput], { title: 'ExportDestinationInput' })

const Replicated = strict(
  {
    state: Type.String({
      enum: ['copying', 'current', 'failing'],
      description:
        '`copying`: not everything that is published is there yet. `failing`: the last try failed; what was deleted since then is still there',
    }),
    error: orNull(Type.String({ description: 'Why the last try failed' })),
    failingSince: orNull(PlainTimestamp),
    currentOn: orNull(PlainTimestamp),
    cursor: orNull(
      Type.String({ description: 'Of the change feed, up to which the database has everything; null while the first list is copied' }),
    ),
  },
  { title: 'Replication' },
)

const head = { id: Uuid, name, createdOn: PlainTimestamp }
export const DestinationShape = Type.Union(
  [
    strict({ kind: Type.Literal('s3'), ...head, ...s3 }, { title: 'BucketDestination' }),
    strict({ kind: Type.Literal('sftp'), ...head, ...sftp, authentication: Type.Enum(['password', 'key']) }, { title: 'SftpDestination' }),
    strict({ kind: Type.Literal('postgres'), ...head, ...postgres, replication: Replicated }, { title: 'DatabaseDestination' }),
  ],
  { title: 'ExportDestination' },
)

export function presentDestination(
  { instanceId: _instance, secret: _secret, createdAt, ...rest }: Destination,
  replication: Replication | null,
) {
  const shown = { ...rest, createdOn: toPlainTimestamp(createdAt) }
  return shown.kind === 'postgres' ? { ...shown, replication: presentReplication(replication) } : shown
}

function presentReplication(replication: Replication | null) {
  const { error = null, failingSince = null, currentAt = null, position = null } = replication ?? {}
  return {
    state: error !== null ? ('failing' as const) : currentAt !== null ? ('current' as const) : ('copying' as const),
    error,
    failingSince: failingSince && toPlainTimestamp(failingSince),
    currentOn: currentAt && toPlainTimestamp(currentAt),
    cursor: position && !position.isStarting ? printChangeCursor(position, EVERYTHING) : null,
  }
}
