import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { connectorsWith } from '../../connectors/registry.ts'
import { reasonOf } from '../../model/texts/reason-of.ts'
import type { Config } from '../../process/settings/config.ts'
import { isLoopback } from '../../process/settings/setting-values.ts'
import { readSourceSettings } from '../../process/settings/source-settings.ts'
import { type Finding, find, findIf } from './checks.ts'

const GIB = 1024 ** 3

/** Faults of the settings taken for themselves. */
export function checkSettings(config: Config): Finding[] {
  const { baseUrl, environment } = config
  const isProduction = environment === 'production'
  const isLocal = isLoopback(baseUrl)
  return [
    ...config.doubts.map((doubt) => find('setting-misspelt', doubt)),
    ...findIf(!isProduction && baseUrl.startsWith('https:') && !isLocal, 'environment-sandbox', `The sandbox answers at ${baseUrl}.`),
    ...findIf(isProduction && baseUrl.startsWith('http:'), 'base-url-not-https', `BASE_URL is ${baseUrl}, to which no owner can come.`),
    ...findIf(isProduction && config.allowPrivateAddresses, 'private-addresses-allowed', 'ALLOW_PRIVATE_ADDRESSES is true in production.'),
    ...findIf(
      isProduction && config.metricsToken === null && config.metricsListen === null,
      'metrics-closed',
      'Neither METRICS_LISTEN nor METRICS_TOKEN is set.',
    ),
    ...findIf(isProduction && config.smtpUrl === null, 'mail-missing', 'SMTP_URL is not set.'),
    ...findIf(isProduction && config.databaseUrl === null, 'database-embedded', 'DATABASE_URL is not set.'),
  ]
}

/** Faults of folders and files. */
export async function checkFolders(config: Config): Promise<Finding[]> {
  const { dataDir, feedsDir, environment, keys } = config
  const isProduction = environment === 'production'
  const mode = await modeOf(dataDir)
  // For root, PostgreSQL runs as another user, who passes through. Without keys in it nothing in it is secret but sources.json.
  const isOpen = keys === null && mode !== null && (mode & (process.getuid?.() === 0 ? 0o066 : 0o077)) !== 0
  const sources = join(dataDir, 'sources.json')
  const sourcesMode = await modeOf(sources)
  return [
    ...findIf(isOpen, 'data-dir-open', `${dataDir} has mode ${mode?.toString(8)}; it should be 700.`),
    ...findIf(
      isProduction && (await modeOf(join(dataDir, 'login.json'))) !== null,
      'login-file',
      `${join(dataDir, 'login.json')} is there.`,
    ),
    ...findIf(sourcesMode !== null && (sourcesMode & 0o037) !== 0, 'sources-file-open', `${sources} has mode ${sourcesMode?.toString(8)}.`),
    ...(mode === null ? [] : await checkDisk(dataDir)),
    ...(feedsDir !== null && !(await isUsable(feedsDir)) ? [find('feeds-dir-unreadable', `${feedsDir} cannot be read and written.`)] : []),
    ...(await checkSources(config)),
  ]
}

async function checkDisk(dataDir: string): Promise<Finding[]> {
  const { bavail, bsize, blocks } = await statfs(dataDir)
  const [free, share] = [bavail * bsize, bavail / Math.max(1, blocks)]
  return findIf(
    free < GIB || (share < 0.05 && free < 10 * GIB),
    'disk-low',
    `${(free / GIB).toFixed(1)} GiB are free (${(share * 100).toFixed(0)} %).`,
  )
}

/** Operator's keys of all sources, profiles included. Throws as `readSourceSettings` and `connectorsWith` do. */
export async function readSources({ dataDir, bankProfilesDir, environment, requireTls }: Config): ReturnType<typeof readSourceSettings> {
  return await readSourceSettings(dataDir, connectorsWith(bankProfilesDir, environment === 'sandbox'), { requireTls })
}

async function checkSources(config: Config): Promise<Finding[]> {
  try {
    return findSharedCallbacks(config, await readSources(config))
  } catch (error) {
    const message = reasonOf(error)
    return [find(message.includes('sources.json') ? 'sources-file-invalid' : 'bank-profiles-invalid', message)]
  }
}

/** Sources that redirect, with keys of an app whose registered address is the one of all sources. */
function findSharedCallbacks(config: Config, settings: Awaited<ReturnType<typeof readSources>>): Finding[] {
  const redirecting = connectorsWith(config.bankProfilesDir, false).filter(({ link, appKeys }) => link === 'redirect' && appKeys.length > 0)
  const shared = redirecting.filter(({ key }) => settings[key]?.app !== undefined && settings[key].callback !== 'own').map(({ key }) => key)
  // One alone cannot be mistaken for another.
  return findIf(config.environment === 'production' && shared.length > 1, 'callback-shared', `Without "callback": ${shared.join(', ')}.`)
}

async function isUsable(folder: string): Promise<boolean> {
  return await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** Null when the path does not exist; Windows has no such modes. */
async function modeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null)
  if (found === null) return null
  return process.platform === 'win32' ? 0o700 : found.mode & 0o777
}
