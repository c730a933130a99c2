import type { Role } from '../api/generated/types.ts'
import type { useTexts } from '../texts/language/language.tsx'
import type { frameTexts } from '../texts/pages/frame.ts'

type Texts = ReturnType<typeof useTexts<(typeof frameTexts)['en']>>
type PageName =
  | 'companies'
  | 'inbox'
  | 'webhooks'
  | 'deliveries'
  | 'feed'
  | 'catalogue'
  | 'exports'
  | 'funnel'
  | 'usage'
  | 'mail'
  | 'health'
  | 'sandbox'
  | 'ownerPages'
  | 'members'
  | 'identityProvider'
  | 'provisioning'
  | 'apiKeys'
  | 'audit'
  | 'account'

/** Page of the menu; `isInside` indents it below the one before. */
export interface Destination {
  path: string
  name: string
  isInside: boolean
}

/** Menu entries that the member's role allows, in order. */
export function listDestinations(texts: Texts, role: Role | undefined, isSandbox: boolean): Destination[] {
  const isAdmin = role === 'admin'
  const mayChange = isAdmin || role === 'developer'
  const to = (path: string, name: PageName, isInside = false) => ({ path, name: texts[name], isInside })
  return [
    to('/companies', 'companies'),
    to('/inbox', 'inbox'),
    to('/webhooks', 'webhooks'),
    to('/webhooks/deliveries', 'deliveries', true),
    to('/webhooks/feed', 'feed', true),
    to('/catalogue', 'catalogue'),
    to('/exports', 'exports'),
    to('/funnel', 'funnel'),
    to('/usage', 'usage'),
    ...(mayChange ? [to('/mail', 'mail')] : []),
    ...(isAdmin ? [to('/health', 'health')] : []),
    ...(isSandbox ? [to('/sandbox', 'sandbox')] : []),
    ...(isAdmin
      ? [
          ...[to('/owner-pages', 'ownerPages'), to('/members', 'members'), to('/identity-provider', 'identityProvider', true)],
          ...[to('/provisioning', 'provisioning', true), to('/api-keys', 'apiKeys'), to('/audit', 'audit')],
        ]
      : []),
    to('/account', 'account'),
  ]
}
