import { toAppName } from './contract/app-keys.ts'
import type { Connector, ConnectorDescription, HttpRequest, Kit } from './contract/contract.ts'
import { entityToPause, limitsOf, type SourceLimit, withNumbers } from './contract/limits.ts'
import type { LimitedCall, RateLimiter, SourceClient } from './contract/rate-limiter.ts'
import { FileThreads } from './toolkit/file-threads.ts'
import { DEFAULT_TIMEOUT_MS, hostNamesOf } from './toolkit/kit.ts'

/** A source as this deployment can reach it. */
export interface Source {
  description: ConnectorDescription
  /** `sandbox`: served by its simulator, because the operator has set no keys. */
  environment: 'sandbox' | 'production'
  /** False when the source needs keys that nobody has set and no simulator stands in. */
  isEnabled: boolean
  /** What its simulator takes in the owner's form, by field; null where no simulator runs or there is no form. */
  example: Readonly<Record<string, string>> | null
  kit: Kit
  /** Reads what owners hand in, where this source takes files. */
  files: FileThreads
  /** Whose keys the kit holds; null: the deployment's. */
  keysOf: KeysOwner | null
  /** Which app it is at the source, when not the one of the deployment's keys. */
  app: string | null
  /** The same source at the same addresses, asked with the keys of an instance. */
  withKeys(keys: InstanceKeys): Source
  /** The same source whose kit counts its calls for these books, as the source names them; the source itself for null. */
  forEntity(entity: string | null): Source
  /** The source asked to wait: no process calls it for these books (for any, where the source is not bound to some) before that. */
  pause(waitMs: number): Promise<void>
  load(): Promise<Connector>
}

/** A set of keys that an instance has for an app of its own, at one time. */
interface KeysOwner {
  instanceId: string
  id: string
  generation: number
}

export interface InstanceKeys {
  owner: KeysOwner
  /** Hash of what names the app at the source. */
  app: string
  values: Readonly<Record<string, string>>
}

/** All sources of this deployment, by connector key; the catalogue shows them in this order. */
export type Sources = ReadonlyMap<string, Source>

/** What the operator set for one source: keys, addresses where a source has several, and limits other than the usual ones. */
interface SourceSettings {
  app?: Record<string, string>
  hosts?: Record<string, string>
  limits?: Record<string, number>
}

export interface SourceOptions {
  settings: Readonly<Record<string, SourceSettings>>
  /** Addresses and keys of running simulators, by connector key. */
  simulators: Readonly<Record<string, SourceSettings & { example?: Record<string, string> }>>
  createKit(app: Readonly<Record<string, string>>, hosts: Record<string, string>): Kit
  /** Left out: calls go out as they come. */
  rateLimiter?: RateLimiter
  /** Left out: with the usual budget. */
  files?: FileThreads
}

/** Decides per source between the operator's keys, the simulator and switched off. */
export function createSources(descriptions: readonly ConnectorDescription[], options: SourceOptions): Sources {
  const { files = new FileThreads() } = options
  return new Map(descriptions.map((description) => [description.key, createSource(description, { ...options, files })]))
}

function createSource(description: ConnectorDescription, options: SourceOptions & { files: FileThreads }): Source {
  const own = options.settings[description.key]
  const simulator = options.simulators[description.key]
  const hasKeys = description.appKeys.every((name) => own?.app?.[name])
  const chosen = hasKeys || !simulator ? own : simulator
  // A source without keys works in a sandbox too; its simulator is one more place that may be called.
  const hosts = { ...description.hosts, ...(description.appKeys.length === 0 ? simulator?.hosts : {}), ...chosen?.hosts }
  const reach: SourceContext = {
    description,
    environment: !hasKeys && simulator ? 'sandbox' : 'production',
    isEnabled: hasKeys || simulator !== undefined,
    example: simulator?.example ?? null,
    kit: options.createKit(chosen?.app ?? {}, hosts),
    files: options.files,
    keysOf: null,
    app: null,
    kitWith: (app) => options.createKit(app, hosts),
    limits: withNumbers(description.limits ?? [], own?.limits ?? {}),
    rateLimiter: options.rateLimiter,
  }
  return toSource(reach, null)
}

interface SourceContext extends Pick<Source, 'description' | 'environment' | 'isEnabled' | 'example' | 'kit' | 'files' | 'keysOf' | 'app'> {
  kitWith(app: Readonly<Record<string, string>>): Kit
  limits: readonly SourceLimit[]
  rateLimiter: RateLimiter | undefined
}

function toSource(reach: SourceContext, entity: string | null): Source {
  const { description, environment, isEnabled, example, kit, files, keysOf, app, rateLimiter: gate } = reach
  const source: Source = {
    description,
    environment,
    isEnabled,
    example,
    kit: gate ? { ...kit, http: (request) => gate.run(toCall(reach, entity, request), () => kit.http(request)) } : kit,
    files,
    keysOf,
    app,
    withKeys: (keys) => toSource(keyed(reach, keys), entity),
    forEntity: (wanted) => (wanted === null ? source : toSource(reach, wanted)),
    pause: async (waitMs) => await gate?.pause(clientOf(reach), entityToPause(reach.limits, entity), waitMs),
    load: description.load,
  }
  return source
}

/** Keys of the very app that the deployment uses share its limits. */
function keyed(reach: SourceContext, { owner, app, values }: InstanceKeys): SourceContext {
  const name = toAppName(reach.description)
  const isOurs = name !== null && reach.keysOf === null && reach.kit.app[name] === values[name]
  // The operator's numbers are those of the operator's contract.
  const limits = isOurs ? reach.limits : (reach.description.limits ?? [])
  return { ...reach, isEnabled: true, kit: reach.kitWith(values), keysOf: owner, app: isOurs ? null : app, limits }
}

/** For the gate: which app at which source. */
export function clientOf({ description, app }: Pick<Source, 'description' | 'app'>): SourceClient {
  return { connectorKey: description.key, ...(app === null ? {} : { app }) }
}

function toCall(reach: SourceContext, entity: string | null, request: HttpRequest): LimitedCall {
  const { kit, limits } = reach
  const hosts = hostNamesOf(kit.hosts, request.url)
  const url = URL.canParse(request.url) ? new URL(request.url) : null
  return {
    ...clientOf(reach),
    limits: limitsOf(limits, { hosts, path: url?.pathname ?? '', hasEntity: entity !== null }),
    entity,
    place: hosts[0] === undefined ? { origin: url?.origin ?? '' } : { host: hosts[0] },
    timeoutMs: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  }
}
