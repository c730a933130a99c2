import { type ApiSettings, defaultApiSettings } from '../../api/context/settings.ts'
import { toWholeNumber } from './setting-values.ts'

export type LimitSettings = Pick<ApiSettings, 'requestLimits' | 'login' | 'hashCost' | 'maxConnections'>

/** Reader of one setting: its value, or `missing` when unset or invalid. */
export type ReadSetting = <T, M>(name: string, to: (text: string) => T, missing: M, isSecret?: boolean) => T | M

const MOST = 999_999_999
/** OWASP minimum, as `PasswordHashing` demands it; the maximum is 1 GiB. */
const HASH_KIB = [19 * 1024, 1024 * 1024] as const

/** Limits of the API, as whole numbers. */
export function readLimits(read: ReadSetting): LimitSettings {
  const { requestLimits, login, hashCost, maxConnections } = defaultApiSettings('')
  const number = (name: string, from: number, to: number, missing: number) => read(name, (text) => toWholeNumber(text, from, to), missing)
  return {
    maxConnections: number('MAX_CONNECTIONS', 10, 1_000_000, maxConnections),
    requestLimits: {
      perSession: number('REQUESTS_PER_SESSION', 0, MOST, requestLimits.perSession),
      perInstance: number('REQUESTS_PER_INSTANCE', 0, MOST, requestLimits.perInstance),
      perNetwork: number('REQUESTS_PER_NETWORK', 0, MOST, requestLimits.perNetwork),
    },
    login: {
      perAccount: number('LOGINS_PER_ACCOUNT', 1, 1_000, login.perAccount),
      perNetwork: number('LOGINS_PER_NETWORK', 1, 100_000, login.perNetwork),
      windowSeconds: number('LOGIN_WINDOW_SECONDS', 60, 86_400, login.windowSeconds),
      codeDriftSteps: number('CODE_DRIFT_STEPS', 0, 1, login.codeDriftSteps),
      perMinute: number('LOGINS_PER_MINUTE', 1, 1_000_000, login.perMinute),
    },
    hashCost: {
      memoryKiB: number('HASH_MEMORY_KIB', ...HASH_KIB, hashCost.memoryKiB),
      passes: number('HASH_PASSES', 2, 100, hashCost.passes),
      lanes: number('HASH_LANES', 1, 16, hashCost.lanes),
    },
  }
}
