import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The parts of a CycloneDX 1.5 document used here. Source: https://cyclonedx.org/docs/1.5/json/ */
interface Bill {
  components: { 'bom-ref': string; properties?: { name: string }[] }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/**
 * `npm run sbom`: prints the bill of materials (CycloneDX) of what runs in production.
 * NOTE `npm sbom --omit dev` also omits each package that a development package names as a peer.
 */
const { stdout } = await promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx'], { maxBuffer: 256 * 1024 * 1024 })
const bill = JSON.parse(stdout) as Bill
const isDevelopment = ({ properties = [] }: Bill['components'][number]): boolean =>
  properties.some(({ name }) => name === 'cdx:npm:package:development')
const left = new Set(bill.components.filter(isDevelopment).map((component) => component['bom-ref']))
const production = {
  ...bill,
  components: bill.components.filter((component) => !isDevelopment(component)),
  dependencies: bill.dependencies
    .filter(({ ref }) => !left.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) })),
}
process.stdout.write(`${JSON.stringify(production, null, 2)}\n`)
