import { type ApiSettings, defaultApiSettings } from '../../api/context/settings.ts'
import type { Config } from './config.ts'

export function apiSettings(config: Config): ApiSettings {
  const connectUrl = config.connectUrl === config.baseUrl ? null : config.connectUrl
  const { accessTokenMinutes, trustedProxies, metricsToken: token, limits } = config
  const metrics = config.metricsListen ? null : { token, isOpenToMachine: config.environment === 'sandbox' }
  return { ...defaultApiSettings(config.baseUrl), connectUrl, accessTokenMinutes, trustedProxies, metrics, ...limits }
}
