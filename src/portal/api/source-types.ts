import type { Category } from './types.ts'

/** Answers about sources and the keys of an own app. No answer holds a key. */
export interface Source {
  key: string
  serviceId: string
  name: string
  category: Category
  environment: 'sandbox' | 'production'
  isEnabled: boolean
  closedBy: 'noKeys' | 'hidden' | null
  isHidden: boolean
  keysFrom: 'instance' | 'deployment' | 'simulator' | 'none' | 'unneeded'
  keys: SourceKey[]
  tested: (TestedKeys & { on: string }) | null
  connections: number
  connectionsOfOtherApps: number
  callbackUrl: string
  webhookUrl: string
}

export interface SourceKey {
  name: string
  isRequired: boolean
  isSecret: boolean
  isLong: boolean
  label: Localized
  hint: Localized | null
  setOn: string | null
  setBy: string | null
  /** What the simulator takes, in the sandbox. */
  example: string | null
}

export interface Localized {
  en: string
  'fr-CA': string
}

export interface TestedKeys {
  result: 'accepted' | 'refused' | 'untested'
  reason: string
}

export interface SavedKeys extends TestedKeys {
  connectionsOfOtherApps: number
}
