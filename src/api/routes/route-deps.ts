import type { Catcher } from '../../mail/catcher.ts'
import type { SyncDeps } from '../../sync/context/deps.ts'
import type { WebhookDeps } from '../../webhooks/deps.ts'
import type { Access } from '../access/access.ts'
import type { ApiDeps } from '../context/deps.ts'
import type { ServerTls } from '../context/server-tls.ts'
import type { PageCache } from '../read-cache/page-cache.ts'
import type { SandboxControls } from './sandbox-controls.ts'

/** Additional dependencies of the routes for companies, connections and data. */
export interface RouteDeps extends ApiDeps {
  sync: SyncDeps
  pageCache: PageCache
  webhooks: WebhookDeps
  /** In the sandbox only. */
  sandbox?: SandboxControls
  /** In the sandbox only: the mail catcher. */
  catcher?: Pick<Catcher, 'list' | 'find'>
  /** Undefined or null: the server speaks plain HTTP. */
  tls?: ServerTls | null
}

/** For routes that decide about users or write to the audit, too. */
export interface AccessRouteDeps extends RouteDeps {
  access: Access
}
