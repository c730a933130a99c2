import { readConfig } from '../src/process/config.ts'
import { addKey, openKeys } from '../src/store/keys/keys.ts'

/** `npm run rotate-key`: adds a sealing key to DATA_DIR/keys. Running processes do the rest. */
async function main(): Promise<void> {
  const { dataDir } = readConfig(process.env, [])
  const before = (await openKeys(dataDir)).sealing.newest.id
  const id = await addKey(dataDir, 'sealing')
  process.stdout.write(`Sealing key ${id} added. Back up ${dataDir}/keys now, and copy it to every host that has a folder of its own.

Workers seal with it from their next look, within ten minutes, and bring everything under it that key ${before} and older ones hold.
countinghouse_sealed_values at /metrics tells how much each key still holds. A key that holds nothing may be deleted when no backup of
the database needs it any more.
`)
}

await main()
