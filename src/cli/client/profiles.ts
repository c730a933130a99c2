import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { findNearest } from '../../model/texts/nearest.ts'
import { reasonOf } from '../../model/texts/reason-of.ts'
import { parseJsonOrNull } from '../../model/values/json.ts'
import { type CommandContext, UsageError } from '../command/command.ts'

type Env = CommandContext['env']

const ProfileShape = Type.Object({ address: Type.String(), key: Type.String() })
const FileShape = Type.Object({ current: Type.Union([Type.String(), Type.Null()]), profiles: Type.Record(Type.String(), ProfileShape) })

/** Address of a deployment without a trailing slash, and an API key of one of its instances. */
export type Profile = Static<typeof ProfileShape>
export type Profiles = Static<typeof FileShape>

export const DEFAULT_PROFILE = 'default'
const NAME = /^[\w.-]{1,40}$/

/** Folder of the user's own files of the command: `XDG_CONFIG_HOME`, `APPDATA` on Windows, or `~/.config`. */
export function configFolder(env: Env): string {
  const base = process.platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME
  return join(base || join(env.HOME || homedir(), '.config'), 'countinghouse')
}

export function profilesFile(env: Env): string {
  return join(configFolder(env), 'profiles.json')
}

/** All profiles; throws when the file is damaged or other users may read it. */
export async function readProfiles(env: Env): Promise<Profiles> {
  const path = profilesFile(env)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new Error(`${path} cannot be read: ${error.message}`, { cause: error })
  })
  if (text === null) return { current: null, profiles: {} }
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
    throw new UsageError(`${path} holds API keys, and other users may read it; run: chmod 600 ${path}`)
  const value = parseJsonOrNull(text)
  if (!Check(FileShape, value)) throw new UsageError(`${path} is damaged; delete it and log in again`)
  return value
}

/** Replaces the whole file, readable by its user only. */
export async function writeProfiles(env: Env, profiles: Profiles): Promise<void> {
  const folder = configFolder(env)
  const fresh = join(folder, `.profiles-${randomUUID()}`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    await writeFile(fresh, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(fresh, profilesFile(env))
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined)
    throw new Error(`${profilesFile(env)} cannot be written: ${reasonOf(error)}`, { cause: error })
  }
}

export function checkProfileName(name: string): string {
  if (!NAME.test(name)) throw new UsageError(`--profile: ${JSON.stringify(name)} is not 1 to 40 letters, digits, “.”, “_” and “-”`)
  return name
}

/**
 * The named profile, otherwise `COUNTINGHOUSE_ADDRESS` with `COUNTINGHOUSE_API_KEY`, otherwise the current profile.
 * Throws `UsageError` when there is none.
 */
export async function findProfile(env: Env, wanted: string | null): Promise<Profile> {
  const [address, key] = [env.COUNTINGHOUSE_ADDRESS, env.COUNTINGHOUSE_API_KEY]
  if (wanted === null && (address || key)) {
    if (!address || !key) throw new UsageError('COUNTINGHOUSE_ADDRESS and COUNTINGHOUSE_API_KEY have to be set both, or neither')
    return { address: checkAddress(address), key: key.trim() }
  }
  const { current, profiles } = await readProfiles(env)
  const name = wanted ?? current
  if (name === null) throw new UsageError('there is no profile yet; run: countinghouse login ADDRESS')
  return getProfile(profiles, name)
}

/** Throws `UsageError` for an unknown name. */
export function getProfile(profiles: Profiles['profiles'], name: string): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (found) return found
  const near = findNearest(name, Object.keys(profiles))
  const hint = near === null ? 'countinghouse profiles lists them' : `did you mean ${near}?`
  throw new UsageError(`there is no profile ${JSON.stringify(name)}; ${hint}`)
}

/** Normalizes the address of a deployment; throws `UsageError`. */
export function checkAddress(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${JSON.stringify(text)} is no address; wanted is one like https://data.example.com`)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError('the address must have no user, password, query or fragment')
  return `${url.origin}${url.pathname.replace(/\/(admin(\/.*)?|portal(\/.*)?)?$/, '').replace(/\/+$/, '')}`
}
