import { connectors } from '../src/connectors/registry.ts'
import { readConfig } from '../src/process/config.ts'
import { openKeys } from '../src/store/keys/keys.ts'
import { tokenHasher } from '../src/sync/context/token-hash.ts'
import { webhookUrlOf } from '../src/sync/provider-webhooks/subscribe.ts'

/** `npm run webhook-address`: where sources that do not sign their webhooks have to send them. The addresses are secrets. */
async function main(): Promise<void> {
  const { dataDir, baseUrl } = readConfig(process.env, [])
  const tokens = { hashToken: tokenHasher(await openKeys(dataDir)), hide: () => undefined }
  const unsigned = connectors.filter(({ unsignedWebhooks }) => unsignedWebhooks)
  process.stdout.write(`These sources do not sign their webhooks. Whoever knows an address can make Countinghouse look for news; keep it secret.

${unsigned.map((description) => `${description.name}: ${webhookUrlOf(tokens, baseUrl, description)}`).join('\n')}
`)
}

await main()
