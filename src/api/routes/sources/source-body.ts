import { toCallbackAddress } from '../../../model/callback-address.ts'
import { toServiceId } from '../../../model/catalogue.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Catalogue, Tokens } from '../../../sync/context/groups.ts'
import { webhookUrlOf } from '../../../sync/provider-webhooks/subscribe.ts'
import type { SourceOverview } from '../../../sync/sources/source-overview.ts'

/** Body of a source in the API. */
export function toSourceBody(sync: Tokens & Catalogue, instanceId: string, overview: SourceOverview) {
  const { source, closedBy, isHidden, keysFrom, callback, keys, tested, connections, connectionsOfOtherApps } = overview
  const { description, environment } = source
  return {
    key: description.key,
    serviceId: toServiceId(description.key),
    name: description.name,
    category: description.category,
    environment,
    isEnabled: closedBy === null,
    closedBy,
    isHidden,
    keysFrom,
    keys: keys.map(({ name, isRequired, text, set }) => ({
      name,
      isRequired,
      isSecret: !text.isPublic,
      isLong: text.isLong ?? false,
      label: text.label,
      hint: text.hint ?? null,
      setOn: set && toPlainTimestamp(set.at),
      setBy: set?.by ?? null,
      example: environment === 'sandbox' && !text.isLong ? (source.kit.app[name] ?? null) : null,
    })),
    tested: tested && { result: tested.test, reason: tested.testReason, on: toPlainTimestamp(tested.testedAt) },
    connections,
    connectionsOfOtherApps,
    callback,
    callbackUrl: toCallbackAddress(sync.baseUrl, callback === 'own' ? description.key : null),
    webhookUrl: webhookUrlOf(sync, sync.baseUrl, description, instanceId),
  }
}
