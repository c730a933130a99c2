import type { Catcher } from '../../mail/catcher.ts'
import type { SyncDeps } from '../../sync/context/deps.ts'
import type { WebhookDeps } from '../../webhooks/deps.ts'
import type { ApiDeps } from '../context/deps.ts'
import type { PageCache } from '../read-cache/page-cache.ts'
import type { SandboxControls } from './sandbox-controls.ts'

/** What the routes over companies, connections and data need besides. */
export interface RouteDeps extends ApiDeps {
  sync: SyncDeps
  pageCache: PageCache
  webhooks: WebhookDeps
  /** In the sandbox only. */
  sandbox?: SandboxControls
  /** In the sandbox only: where mails end up. */
  catcher?: Pick<Catcher, 'list' | 'find'>
}
