import { PURPOSES, type Purpose } from '../../store/keys/purposes.ts'
import { type CommandContext, defineCommand, UsageError, type Values } from '../command/command.ts'

/** Minutes until a key writes: all processes, and hosts with a separate key folder, have to load it before that. */
const DEFAULT_MINUTES = 10
const MAX_MINUTES = 7 * 24 * 60

const AFTER: Readonly<Record<Purpose, string>> = {
  sealing:
    'Workers re-encrypt with it what older keys encrypt, within ten minutes. countinghouse_sealed_values at /metrics counts what each key still encrypts; a key that encrypts nothing may be deleted when no backup of the database needs it.',
  signing:
    'Access tokens and receipts are signed with it from then on. Older keys still verify what they signed: delete one after ACCESS_TOKEN_MINUTES if its tokens shall end, but receipts signed with it can then no longer be verified.',
  'token-hash':
    'New links, sessions and codes are stored under it. What was stored under older keys stays valid, because every look-up tries all keys. Enter the new addresses of countinghouse webhook-address at the sources; the old ones stay valid as long as the old key is there.',
}

export const rotateKey = defineCommand({
  name: 'rotate-key',
  summary: 'adds a key for encryption, signatures or hashes; what older keys wrote stays valid',
  description: [
    'sealing encrypts stored secrets, signing signs access tokens and receipts, token-hash hashes tokens of links, sessions, receivers and recovery codes, and derives the addresses of unsigned webhooks.',
    'A key reads as soon as a process has loaded it (30 s; programs that keep /.well-known/jwks.json, 5 minutes), and writes after --in. By then it must be on every host that has a DATA_DIR/keys of its own.',
    'A hash cannot be computed again without its token: what an older token-hash key hashed stays under it. Sessions end after 30 days and links after their lifetime, but owner pages, receivers, recovery codes and the audit trail need the old key for good. Delete its file only to end them, after a leak.',
  ],
  arguments: [{ name: 'PURPOSE', summary: `${PURPOSES.join(', ')}; sealing when left out`, isOptional: true }],
  options: {
    in: { value: 'MINUTES', summary: `when the key begins to write: sealing at once, otherwise after ${DEFAULT_MINUTES} minutes` },
    list: { summary: 'lists the keys, and changes nothing' },
    create: { summary: 'creates the first keys, as the first start does: for a vault, or a cluster' },
  },
  examples: [
    { line: 'countinghouse rotate-key', summary: 'a new encryption key; back up DATA_DIR/keys afterwards' },
    { line: 'countinghouse rotate-key signing --in 60', summary: 'signs in an hour, so that there is time to copy the key to other hosts' },
    { line: 'DATA_DIR=./new countinghouse rotate-key --create', summary: 'the keys of a new deployment, in ./new/keys' },
    { line: 'countinghouse rotate-key --list', summary: 'which keys there are, and which one writes' },
  ],
  run: async (values, context) => {
    const purpose = readPurpose(values)
    const from = readFrom(values, purpose)
    const [{ hasKeyFolder }, { addKey }, { openExistingKeysOf, openKeysOf }, { readSettings }] = await Promise.all([
      import('../../store/keys/key-files.ts'),
      import('../../store/keys/keys.ts'),
      import('../../process/settings/keys-setting.ts'),
      import('../deployment/settings.ts'),
    ])
    const config = readSettings(context)
    const { dataDir } = config
    const isNew = values.flag('create')
    if (isNew && (config.keys !== null || hasKeyFolder(dataDir))) throw new UsageError('--create: there are keys already')
    const keys = isNew ? await openKeysOf(config) : await openExistingKeysOf(config)
    const rings = { sealing: keys.sealing, signing: keys.signing, 'token-hash': keys.tokenHash }
    if (isNew)
      await recordKey(context, {
        purpose: PURPOSES.join(' '),
        keyId: PURPOSES.map((one) => rings[one].newest.id).join(' '),
        writesFrom: null,
      })
    if (isNew || values.flag('list')) {
      const listed = PURPOSES.flatMap((one) => rings[one].all.map(({ id }) => ({ purpose: one, id, writes: rings[one].newest.id === id })))
      const lines = listed.map(({ purpose: of, id, writes }) => `${of.padEnd(11)}${id}${writes ? '  writes' : ''}`)
      return { document: { keys: listed }, text: lines.join('\n') }
    }
    if (config.keys !== null)
      throw new UsageError(
        'the keys are kept elsewhere (KEYS, KEYS_FILE, KEYS_COMMAND); rotate a copy of the folder, then store its files there',
      )
    const before = rings[purpose].newest.id
    const id = await addKey(dataDir, purpose, from)
    await recordKey(context, { purpose, keyId: id, writesFrom: from?.toISOString() ?? null })
    const text = [
      `${purpose} key ${id} added; it writes ${from === null ? 'at once' : `from ${from.toISOString()}`}.`,
      `Back up ${dataDir}/keys now, and copy it to every host that has a folder of its own.`,
      AFTER[purpose],
    ]
    return { document: { purpose, id, before, writesFrom: from?.toISOString() ?? null }, text: text.join('\n\n') }
  },
})

/** The key is there, with or without a database that can take the entry. */
async function recordKey(context: CommandContext, after: { purpose: string; keyId: string; writesFrom: string | null }): Promise<void> {
  const [{ recordDone, sayNoEntry }, { withDatabase }, { readSettings }] = await Promise.all([
    import('../deployment/command-scope.ts'),
    import('../deployment/open-database.ts'),
    import('../deployment/settings.ts'),
  ])
  const config = readSettings(context)
  try {
    await withDatabase(context, config, ({ database }) =>
      recordDone(context, database, config, 'rotate-key', { action: 'deployment.key-added', after }),
    )
  } catch (error) {
    sayNoEntry(context, error)
  }
}

function readPurpose(values: Values): Purpose {
  const given = values.argument(0) ?? 'sealing'
  const purpose = PURPOSES.find((one) => one === given)
  if (purpose === undefined) throw new UsageError(`there is no key for ${JSON.stringify(given)}; wanted is one of ${PURPOSES.join(', ')}`)
  return purpose
}

function readFrom(values: Values<'in' | 'list'>, purpose: Purpose): Date | null {
  const given = values.text('in')
  const least = purpose === 'sealing' ? 0 : 1
  const minutes = given === null ? (purpose === 'sealing' ? 0 : DEFAULT_MINUTES) : /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN
  if (!(minutes >= least && minutes <= MAX_MINUTES)) throw new UsageError(`--in: wanted is a whole number from ${least} to ${MAX_MINUTES}`)
  return minutes === 0 ? null : new Date(Date.now() + minutes * 60_000)
}
