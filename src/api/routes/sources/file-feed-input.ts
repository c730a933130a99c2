import { type Static, Type } from 'typebox'
import { canBeAllowed } from '../../../egress/allowed-hosts.ts'
import type { Sealer } from '../../../store/keys/sealing.ts'
import type { FeedKey, FeedSource, FileFeed, NewFeed } from '../../../store/sources/file-feeds.ts'
import { FOLDER_PATH } from '../../../sync/file-feeds/file-feed-folder.ts'
import { findKeyFault, type KeyFault } from '../../../sync/file-feeds/file-feed-key.ts'
import { sealSecret } from '../../../sync/file-feeds/file-feed-secret.ts'
import { fetchHostKeys } from '../../../sync/file-feeds/file-feed-sftp.ts'
import { badField } from '../../errors/errors.ts'
import { orNull, strict, Uuid } from '../../schemas/schemas.ts'

export const Host = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:-]+$', examples: ['sftp.example.com'] })
/** No `default` here: the validator accepts none within a choice. */
export const Port = Type.Integer({ minimum: 1, maximum: 65_535, description: '22 when left out' })
const Secret = Type.String({ minLength: 1, maxLength: 20_000, description: 'Kept sealed, never shown' })

export const HostKeys = strict(
  {
    hostKey: Type.String({ description: 'The one that the server prefers' }),
    hostKeys: Type.Array(strict({ type: Type.String({ examples: ['ssh-ed25519'] }), hostKey: Type.String() }), {
      description: 'One of each kind; any of them can be pinned',
    }),
  },
  { title: 'FileFeedHostKeys' },
)

const FolderInput = strict(
  {
    kind: Type.Literal('folder'),
    path: Type.String({
      pattern: FOLDER_PATH,
      maxLength: 300,
      description: 'Below the folder of this instance in FEEDS_DIR',
      examples: ['caisse/releves'],
    }),
  },
  { title: 'FolderInput' },
)

const SftpInput = strict(
  {
    kind: Type.Literal('sftp'),
    host: Host,
    port: Type.Optional(Port),
    user: Type.String({ minLength: 1, maxLength: 200 }),
    path: Type.String({ pattern: '^/', maxLength: 500, description: 'Absolute folder on the server', examples: ['/outbound/statements'] }),
    hostKey: Type.String({
      pattern: '^SHA256:[A-Za-z0-9+/]{43}$',
      description: 'Of the server, as `ssh-keygen -lf` prints it; another key is refused',
    }),
    password: Type.Optional(Secret),
    privateKey: Type.Optional(Secret),
    passphrase: Type.Optional(Secret),
    afterwards: Type.Optional(
      Type.Enum(['move', 'leave'], { description: 'Whether files are moved into `archive` (when left out), or left where they are' }),
    ),
  },
  { title: 'SftpInput' },
)

export const FeedInput = strict(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', examples: ['Statements'] }),
    companyId: Type.Optional(orNull(Uuid)),
    everyMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_080, default: 15 })),
    isPaused: Type.Optional(Type.Boolean({ default: false })),
    source: Type.Union([FolderInput, SftpInput]),
  },
  { title: 'FileFeedInput' },
)

const KEY_FAULTS: Readonly<Record<KeyFault, readonly [field: string, message: string]>> = {
  unreadable: ['privateKey', 'This is no private key that can be read: give it in the format of OpenSSH, PEM (PKCS#1) or PuTTY.'],
  public: ['privateKey', 'This is a public key; the private one is needed.'],
  passphraseMissing: ['passphrase', 'The key is encrypted: give its passphrase.'],
  passphraseWrong: ['passphrase', 'The passphrase does not open the key.'],
  passphraseSlow: ['privateKey', 'The key asks for too many rounds of key derivation (ssh-keygen -a): 64 at most.'],
}

/** Host keys of a server as shown to an operator. */
export async function shownBy(host: string, port: number, allowPrivate: boolean): Promise<Static<typeof HostKeys>> {
  const hostKeys = await fetchHostKeys(host, port, allowPrivate)
  return { hostKey: hostKeys[0]?.hostKey ?? '', hostKeys }
}

/** Feed as requested, with its sealed secret. */
export interface FeedWithSecret {
  feed: NewFeed
  /** Undefined: the stored one is kept. */
  secret: Uint8Array | null | undefined
}

/** Feed of a request body; `before` is the feed that it replaces. */
export async function readFeed(
  sealer: Sealer,
  feedKey: FeedKey,
  input: Static<typeof FeedInput>,
  before: FileFeed | null,
): Promise<FeedWithSecret> {
  const { name, companyId = null, everyMinutes = 15, isPaused = false, source } = input
  const more = { name, companyId, everyMinutes, isPaused }
  if (source.kind === 'folder') return { feed: { ...more, source }, secret: null }
  const { password, privateKey, passphrase, port = 22, afterwards = 'move', kind, host, user, path, hostKey } = source
  if (password !== undefined && privateKey !== undefined) throw badField('source.password', 'Give a password or a key, not both.')
  if (passphrase !== undefined && privateKey === undefined) throw badField('source.passphrase', 'There is no key that it opens.')
  if (privateKey !== undefined) await refuseBadKey(privateKey, passphrase, 'source.')
  const known = before?.source.kind === 'sftp' ? before.source : null
  // A feed whose host is no longer allowed can still be paused.
  if (known?.host !== host && !canBeAllowed(host)) throw badField('source.host', 'must be a host that the operator allows')
  const given = password !== undefined ? 'password' : privateKey !== undefined ? 'key' : null
  const wanted: FeedSource = {
    kind,
    host,
    port,
    user,
    path,
    hostKey,
    authentication: given ?? known?.authentication ?? 'password',
    afterwards,
  }
  if (given !== null) {
    const secret = { ...(password === undefined ? { privateKey } : { password }), ...(passphrase === undefined ? {} : { passphrase }) }
    return { feed: { ...more, source: wanted }, secret: sealSecret(sealer, feedKey, secret as Record<string, string>) }
  }
  // NOTE a stored secret is sent to no other server, and under no other host key, than it was entered for.
  const isSame = known !== null && known.host === host && known.port === port && known.user === user && known.hostKey === hostKey
  if (!isSame) throw badField('source.password', 'A password or a key is needed.')
  return { feed: { ...more, source: wanted }, secret: undefined }
}

/** Throws an error for the caller; `prefix` is of the names of its fields. */
export async function refuseBadKey(privateKey: string, passphrase: string | undefined, prefix: string): Promise<void> {
  const fault = await findKeyFault(privateKey, passphrase)
  if (fault === null) return
  const [field, message] = KEY_FAULTS[fault]
  throw badField(`${prefix}${field}`, message)
}
