import type { Connector, ConnectorDescription, Kit } from './contract.ts'

/** A source as this deployment can reach it. */
export interface Source {
  description: ConnectorDescription
  /** `sandbox`: served by its simulator, because the operator has set no keys. */
  environment: 'sandbox' | 'production'
  /** False when the source needs keys that nobody has set and no simulator stands in. */
  isEnabled: boolean
  kit: Kit
  load(): Promise<Connector>
}

/** All sources of this deployment, by connector key; the catalogue shows them in this order. */
export type Sources = ReadonlyMap<string, Source>

/** What the operator set for one source: keys and, where a source has several, addresses. */
interface SourceSettings {
  app?: Record<string, string>
  hosts?: Record<string, string>
}

export interface SourceOptions {
  settings: Readonly<Record<string, SourceSettings>>
  /** Addresses and keys of running simulators, by connector key. */
  simulators: Readonly<Record<string, SourceSettings>>
  createKit(app: Record<string, string>, hosts: Record<string, string>): Kit
}

/** Decides per source between the operator's keys, the simulator and switched off. */
export function createSources(descriptions: readonly ConnectorDescription[], options: SourceOptions): Sources {
  return new Map(descriptions.map((description) => [description.key, createSource(description, options)]))
}

function createSource(description: ConnectorDescription, options: SourceOptions): Source {
  const own = options.settings[description.key]
  const simulator = options.simulators[description.key]
  const hasKeys = description.appKeys.every((name) => own?.app?.[name])
  const chosen = hasKeys ? own : simulator
  return {
    description,
    environment: !hasKeys && simulator ? 'sandbox' : 'production',
    isEnabled: hasKeys || simulator !== undefined,
    kit: options.createKit(chosen?.app ?? {}, { ...description.hosts, ...chosen?.hosts }),
    load: description.load,
  }
}
