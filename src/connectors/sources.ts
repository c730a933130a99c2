import type { CallbackKind } from '../model/callback-address.ts'
import { toAppName } from './contract/app-keys.ts'
import type { Connector, ConnectorDescription, HttpRequest, HttpResponse, Kit } from './contract/contract.ts'
import { entityToPause, limitsOf, type SourceLimit, withNumbers } from './contract/limits.ts'
import type { LimitedCall, RateLimiter, SourceClient } from './contract/rate-limiter.ts'
import { ofInstance, restrictToOwnSimulators, servedOrigins, withoutInstance } from './tenant-simulators.ts'
import { DEFAULT_TIMEOUT_MS, hostNamesOf } from './toolkit/http/kit.ts'
import { FileThreads } from './toolkit/uploads/file-threads.ts'

/** Source as this deployment calls it. */
export interface Source {
  description: ConnectorDescription
  /** `sandbox`: served by its simulator, because the operator has set no keys. */
  environment: 'sandbox' | 'production'
  /** False when the source needs keys that are not set and has no simulator. */
  isEnabled: boolean
  /** Values that its simulator accepts in the owner's form, by field; null without a simulator or a form. */
  example: Readonly<Record<string, string>> | null
  kit: Kit
  /** Reader threads for uploaded files, where this source accepts files. */
  files: FileThreads
  /** Owner of the kit's keys; null for the deployment. */
  keysOf: KeysOwner | null
  /** App at the source, if not the one of the deployment's keys. */
  app: string | null
  /** Redirect address that the developer of this app has registered. */
  callback: CallbackKind
  /** The same source and URLs with the keys of an instance. */
  withKeys(keys: InstanceKeys): Source
  /** Name of its directory of institutions: simulated banks are in another than real ones. */
  directory: string
  /**
   * The source for one instance: a test instance calls its own simulators, a live one none. Without simulators per
   * instance, the same source.
   */
  forTenant(tenant: Tenant): Source
  /** Whether `forTenant` makes a difference. */
  isByTenant: boolean
  /** The same source whose calls count for these books, by their id at the source; itself for null. */
  forEntity(entity: string | null): Source
  /**
   * Pause requested by the source: until then no process calls it for these books (for any, when the source is not
   * bound to some).
   */
  pause(waitMs: number): Promise<void>
  load(): Promise<Connector>
}

/** Instance whose source is called. */
export interface Tenant {
  id: string
  kind: 'test' | 'live'
}

/** Set of keys of an instance for its own app, in one generation. */
interface KeysOwner {
  instanceId: string
  id: string
  generation: number
}

export interface InstanceKeys {
  owner: KeysOwner
  /** Hash of the app's id at the source. */
  app: string
  callback: CallbackKind
  values: Readonly<Record<string, string>>
}

/** All sources of this deployment, by connector key, in the order of the catalogue. */
export type Sources = ReadonlyMap<string, Source>

/** Operator's settings of one source: keys, URLs where a source has several, and other limits than the default ones. */
interface SourceSettings {
  app?: Record<string, string>
  hosts?: Record<string, string>
  limits?: Record<string, number>
  /** Default: the shared one, which is all that release 1.0.0 knows. */
  callback?: CallbackKind | undefined
}

/** `servedAt`: address below which each test instance has its own simulator; absent: one for all. */
type SimulatorSettings = SourceSettings & { example?: Record<string, string>; servedAt?: string }

export interface SourceOptions {
  settings: Readonly<Record<string, SourceSettings>>
  /** URLs and keys of running simulators, by connector key. */
  simulators: Readonly<Record<string, SimulatorSettings>>
  createKit(app: Readonly<Record<string, string>>, hosts: Record<string, string>): Kit
  /** Absent: calls are not limited. */
  rateLimiter?: RateLimiter
  /** Sends each outgoing call, after it was admitted. */
  onCall?: CallObserver
  /** Absent: default limits. */
  files?: FileThreads
}

/** Runs one HTTP call and returns its response, or throws its error. */
export type CallObserver = (
  call: { connectorKey: string; method: string; host: string | null },
  run: () => Promise<HttpResponse>,
) => Promise<HttpResponse>

/** Decides per source between the operator's keys, the simulator and disabled. */
export function createSources(descriptions: readonly ConnectorDescription[], options: SourceOptions): Sources {
  const { files = new FileThreads() } = options
  return new Map(descriptions.map((description) => [description.key, createSource(description, { ...options, files })]))
}

function createSource(description: ConnectorDescription, options: CompleteOptions): Source {
  const simulator = options.simulators[description.key]
  const served = servedOrigins(options.simulators)
  const base = toContext(description, options, simulator)
  if (served.size === 0) return toSource(base, null)
  const forTenant = (tenant: Tenant): SourceContext => {
    const own = tenant.kind === 'test' ? simulator && ofInstance(simulator, tenant.id) : undefined
    const reach = toContext(description, options, own)
    const kept = (kit: Kit) => restrictToOwnSimulators(kit, served, tenant.kind === 'test' ? tenant.id : null)
    return {
      ...reach,
      kit: kept(reach.kit),
      kitWith: (keys) => kept(reach.kitWith(keys)),
      app: own && isSimulated(reach) ? tenant.id : null,
      // The deployment's is that of the simulator.
      directory: base.environment === reach.environment ? base.directory : `${base.directory}#${reach.environment}`,
      forTenant,
    }
  }
  return toSource({ ...base, forTenant }, null)
}

/** Without keys, an address decides whether the simulator is called. */
function isSimulated({ environment, description }: Pick<Source, 'environment' | 'description'>): boolean {
  return environment === 'sandbox' || description.appKeys.length === 0
}

type CompleteOptions = SourceOptions & { files: FileThreads }

function toContext(description: ConnectorDescription, options: CompleteOptions, simulator: SimulatorSettings | undefined): SourceContext {
  const own = options.settings[description.key]
  const hasKeys = description.appKeys.every((name) => own?.app?.[name])
  const chosen = hasKeys || !simulator ? own : simulator
  // A source without keys works in a sandbox too; its simulator is one more host that may be called.
  const hosts = { ...description.hosts, ...(description.appKeys.length === 0 ? simulator?.hosts : {}), ...chosen?.hosts }
  return {
    description,
    environment: !hasKeys && simulator ? 'sandbox' : 'production',
    isEnabled: hasKeys || simulator !== undefined,
    example: simulator?.example ?? null,
    kit: observed(description.key, options.createKit(chosen?.app ?? {}, hosts), options.onCall),
    files: options.files,
    keysOf: null,
    app: null,
    // At a simulator, and at sources without apps, no address is registered.
    callback: hasKeys && description.appKeys.length > 0 ? (own?.callback ?? 'shared') : 'own',
    directory: description.key,
    kitWith: (app) => observed(description.key, options.createKit(app, hosts), options.onCall),
    limits: withNumbers(description.limits ?? [], own?.limits ?? {}),
    rateLimiter: options.rateLimiter,
    forTenant: null,
  }
}

function observed(connectorKey: string, kit: Kit, onCall: CallObserver | undefined): Kit {
  if (!onCall) return kit
  return {
    ...kit,
    http: (request) =>
      onCall({ connectorKey, method: request.method ?? 'GET', host: hostNamesOf(kit.hosts, request.url)[0] ?? null }, () =>
        kit.http(request),
      ),
  }
}

interface SourceContext
  extends Pick<
    Source,
    'description' | 'environment' | 'isEnabled' | 'example' | 'kit' | 'files' | 'keysOf' | 'app' | 'callback' | 'directory'
  > {
  /** Null: the same for all instances. */
  forTenant: ((tenant: Tenant) => SourceContext) | null
  kitWith(app: Readonly<Record<string, string>>): Kit
  limits: readonly SourceLimit[]
  rateLimiter: RateLimiter | undefined
}

function toSource(reach: SourceContext, entity: string | null): Source {
  const { description, environment, isEnabled, example, kit, files, keysOf, app, callback, directory, rateLimiter: gate } = reach
  const source: Source = {
    description,
    environment,
    isEnabled,
    example,
    kit: gate ? { ...kit, http: (request) => gate.run(toCall(reach, entity, request), () => kit.http(request)) } : kit,
    files,
    keysOf,
    app,
    callback,
    directory,
    forTenant: (tenant) => (reach.forTenant === null ? source : toSource(reach.forTenant(tenant), entity)),
    isByTenant: reach.forTenant !== null,
    withKeys: (keys) => toSource(keyed(reach, keys), entity),
    forEntity: (wanted) => (wanted === null ? source : toSource(reach, wanted)),
    pause: async (waitMs) => await gate?.pause(clientOf(reach), entityToPause(reach.limits, entity), waitMs),
    load: description.load,
  }
  return source
}

/** Keys of the deployment's own app share its limits. */
function keyed(reach: SourceContext, { owner, app, callback, values }: InstanceKeys): SourceContext {
  const name = toAppName(reach.description)
  const isOurs = name !== null && reach.keysOf === null && reach.kit.app[name] === values[name]
  // The operator's overrides of limits are those of the operator's contract.
  const limits = isOurs ? reach.limits : (reach.description.limits ?? [])
  // A simulator counts for its instance alone, whatever the keys.
  const own = reach.app === null ? app : `${reach.app}/${app}`
  return { ...reach, isEnabled: true, kit: reach.kitWith(values), keysOf: owner, app: isOurs ? reach.app : own, callback, limits }
}

/** App and source, for the rate limiter. */
export function clientOf({ description, app }: Pick<Source, 'description' | 'app'>): SourceClient {
  return { connectorKey: description.key, ...(app === null ? {} : { app }) }
}

function toCall(reach: SourceContext, entity: string | null, request: HttpRequest): LimitedCall {
  const { kit, limits } = reach
  const hosts = hostNamesOf(kit.hosts, request.url)
  const url = URL.canParse(request.url) ? new URL(request.url) : null
  return {
    ...clientOf(reach),
    limits: limitsOf(limits, {
      hosts,
      path: reach.forTenant === null ? (url?.pathname ?? '') : withoutInstance(url?.pathname ?? ''),
      hasEntity: entity !== null,
    }),
    entity,
    place: hosts[0] === undefined ? { origin: url?.origin ?? '' } : { host: hosts[0] },
    timeoutMs: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  }
}
