import { listAppKeyNames } from '../../connectors/contract/app-keys.ts'
import { connectorsWith } from '../../connectors/registry.ts'
import { reasonOf } from '../../model/texts/reason-of.ts'
import { type Config, ConfigError, readConfig } from '../../process/settings/config.ts'
import { applyDatabasePassword } from '../../process/settings/database-settings.ts'
import { systemFolders } from '../../process/settings/folders.ts'
import { openKeysOf } from '../../process/settings/keys-setting.ts'
import type { Db } from '../../store/db/database.ts'
import { readWorkState } from '../../store/db/work-state.ts'
import { hasKeyFolder } from '../../store/keys/key-files.ts'
import type { Keys } from '../../store/keys/keys.ts'
import { type OldKey, readOldKeys } from '../../store/keys/old-keys.ts'
import type { CommandContext } from '../command/command.ts'
import type { OpenedDatabase } from '../deployment/open-database.ts'
import { type Finding, find, findIf } from './checks.ts'
import { checkDatabase, openForDoctor } from './database-checks.ts'
import { checkBaseUrl, checkMailServer, checkMalwareScanner } from './network-checks.ts'
import { checkProtection, listUnencrypted } from './protection-checks.ts'
import { checkRawPages } from './raw-page-checks.ts'
import { checkReplicas } from './replica-checks.ts'
import { checkFolders, checkSettings, readSources } from './settings-checks.ts'

export interface Examined {
  findings: Finding[]
  /** Parts that could not be looked at, each with the reason. */
  skipped: string[]
  /** Keys that no longer write; empty where the database could not be read. */
  oldKeys: OldKey[]
  /** Connections that may carry data in clear, in production. */
  unencrypted: string[]
}

/** Looks for every fault of `CHECKS`. Changes nothing, but starts the embedded PostgreSQL when nobody runs it. */
export async function examine({ env }: Pick<CommandContext, 'env'>): Promise<Examined> {
  const config = readOrFaults(env)
  if (Array.isArray(config))
    return { findings: config, skipped: ['everything else, until the settings can be used'], oldKeys: [], unencrypted: [] }
  const skipped: string[] = []
  const findings = [...checkSettings(config), ...(await checkFolders(config)), ...(await checkProtection(config, new Date()))]
  const keys = await openExistingKeys(config, findings, skipped)
  const { oldKeys, ...inDatabase } = await examineDatabase(config, keys, skipped)
  findings.push(...inDatabase.findings)
  if (config.role === 'worker') skipped.push('BASE_URL: a process with ROLE=worker does not serve it')
  else findings.push(...(await checkBaseUrl(config, keys)))
  findings.push(...(await checkMailServer(config)), ...(await checkMalwareScanner(config)))
  return { findings, skipped, oldKeys, unencrypted: listUnencrypted(config) }
}

function readOrFaults(env: CommandContext['env']): Config | Finding[] {
  try {
    const config = readConfig(env, [], systemFolders)
    applyDatabasePassword(config)
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      ...error.faults.map((fault) => find('settings-invalid', fault)),
      ...error.doubts.map((doubt) => find('setting-misspelt', doubt)),
    ]
  }
}

async function openExistingKeys(config: Config, findings: Finding[], skipped: string[]): Promise<Keys | null> {
  if (config.keys === null && !hasKeyFolder(config.dataDir)) {
    skipped.push('keys: there are none before the first start')
    return null
  }
  try {
    return await openKeysOf(config)
  } catch (error) {
    findings.push(find('keys-unusable', reasonOf(error)))
    return null
  }
}

async function examineDatabase(config: Config, keys: Keys | null, skipped: string[]): Promise<Pick<Examined, 'findings' | 'oldKeys'>> {
  let opened: OpenedDatabase | null
  try {
    opened = await openForDoctor(config)
  } catch (error) {
    return { findings: [find('database-unreachable', reasonOf(error))], oldKeys: [] }
  }
  if (opened === null) {
    skipped.push('database: there is none before the first start')
    return { findings: [], oldKeys: [] }
  }
  try {
    const { findings, isReadable, lacksNode } = await checkDatabase(config, opened.database, keys)
    if (!isReadable) {
      skipped.push('the contents of the database, until it has the tables of this version and can be used')
      return { findings, oldKeys: [] }
    }
    if (lacksNode) skipped.push('sealed values, old keys and raw pages, until every node of Citus answers')
    const oldKeys = keys && !lacksNode ? await readOldKeys(opened.database, keys) : []
    const ofSources = await checkSourceKeys(config, opened.database)
    const elsewhere = [
      ...(lacksNode ? [] : await checkRawPages(config, opened.database)),
      ...(await checkReplicas(config, opened.database)),
    ]
    return { findings: [...findings, ...ofSources, ...elsewhere], oldKeys }
  } finally {
    await opened.close()
  }
}

/** Only production has no simulators in the place of sources. */
async function checkSourceKeys(config: Config, db: Db): Promise<Finding[]> {
  if (config.environment !== 'production') return []
  const { hasSourceKeys } = await readWorkState(db, { instanceNames: [], email: '' })
  const settings = await readSources(config).catch(() => null)
  const isUnset = settings !== null && !hasSourceKeys && Object.values(settings).every(({ app = {} }) => Object.keys(app).length === 0)
  const count = connectorsWith(null, false).filter((source) => listAppKeyNames(source).length > 0).length
  return findIf(isUnset, 'source-keys-unset', `None of the ${count} sources that need keys has any.`)
}
