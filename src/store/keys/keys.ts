import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { makeDataFolder } from './data-folder.ts'
import { createKeyFolder, type KeyFile, newKey, readKeyFiles, rereadKeyFiles, writeKeyFile } from './key-files.ts'

/** Key-encryption key: wraps the random key of each secret. */
export interface SealingKey {
  id: string
  /** 32 bytes, for AES-256. */
  bytes: Uint8Array
}

/** Ed25519 pair for our JSON Web Tokens; `id` is the token's `kid`. */
export interface SigningKey {
  id: string
  privateKey: KeyObject
  publicKey: KeyObject
}

/** Keys of one purpose. The newest makes, all of them read, so that a rotation interrupts nothing. */
export interface KeyRing<K> {
  newest: K
  find(id: string): K | undefined
  /** Oldest first. */
  all: readonly K[]
}

/** Sealing keys grow while the process runs: one that another process has added is found when it is needed. */
export interface ReloadableKeyRing extends KeyRing<SealingKey> {
  /** Looks for keys that were added. */
  refresh(): void
}

/** Every purpose has keys of its own. */
export interface Keys {
  sealing: ReloadableKeyRing
  signing: KeyRing<SigningKey>
  /** 32 bytes for HMAC-SHA-256 of tokens and of values that are looked up. It does not rotate: stored hashes depend on it. */
  tokenHash: Uint8Array
}

type RotatingPurpose = 'sealing' | 'signing'

/**
 * The keys in `dataDir/keys`, made at the first start. Files have mode 0600 in a folder of mode 0700; wider modes, a damaged file
 * and a missing purpose are refused. A backup needs this folder and the database: neither is of use alone.
 */
export async function openKeys(dataDir: string): Promise<Keys> {
  const folder = join(dataDir, 'keys')
  const files = (await readKeyFiles(folder)) ?? (await createKeys(dataDir, folder))
  return {
    sealing: reloadableKeyRing(folder, files),
    signing: toRing(folder, 'signing', files, toSigningKey),
    tokenHash: toRing(folder, 'token-hash', files, (file) => file).newest.bytes,
  }
}

/**
 * Adds a key that becomes the newest: of sealing keys as soon as a process sees it, of the others at the next `openKeys`. What older ones
 * made stays readable. Returns its id.
 */
export async function addKey(dataDir: string, purpose: RotatingPurpose): Promise<string> {
  const folder = join(dataDir, 'keys')
  const numbers = ((await readKeyFiles(folder)) ?? []).filter((file) => file.purpose === purpose).map((file) => file.number)
  const key = makeKey(purpose, Math.max(0, ...numbers) + 1)
  await writeKeyFile(folder, key)
  return key.id
}

async function createKeys(dataDir: string, folder: string): Promise<KeyFile[]> {
  await makeDataFolder(dataDir)
  await createKeyFolder(folder, [makeKey('sealing', 1), makeKey('signing', 1), newKey('token-hash', 1)])
  return (await readKeyFiles(folder)) ?? []
}

function makeKey(purpose: RotatingPurpose, number: number): KeyFile {
  if (purpose === 'sealing') return newKey(purpose, number)
  return newKey(purpose, number, generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }))
}

function toSigningKey({ id, bytes }: KeyFile): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.from(bytes), format: 'der', type: 'pkcs8' })
  return { id, privateKey, publicKey: createPublicKey(privateKey) }
}

/** Whatever an unknown key has sealed was sealed after the folder was last read. */
function reloadableKeyRing(folder: string, files: KeyFile[]): ReloadableKeyRing {
  const toSealing = (found: KeyFile[]) => toRing(folder, 'sealing', found, ({ id, bytes }) => ({ id, bytes }))
  let ring = toSealing(files)
  const refresh = (): void => {
    const found = rereadKeyFiles(folder)
    if (found.some(({ id }) => !ring.find(id))) ring = toSealing(found)
  }
  return {
    get newest() {
      return ring.newest
    },
    get all() {
      return ring.all
    },
    find: (id) => {
      if (!ring.find(id)) refresh()
      return ring.find(id)
    },
    refresh,
  }
}

function toRing<K extends { id: string }>(folder: string, purpose: string, files: KeyFile[], toKey: (file: KeyFile) => K): KeyRing<K> {
  const all = files.filter((file) => file.purpose === purpose).map(toKey)
  const newest = all.at(-1)
  if (newest === undefined) throw new Error(`${folder} has no key for ${purpose}; restore the folder from its backup`)
  return { newest, find: (id) => all.find((key) => key.id === id), all }
}
