import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders of slow test files, slowest first. */
const LONG: readonly RegExp[] = [
  /^test\/simulation\//,
  /^test\/connect\/(pages|hostile)\.browser/,
  /^test\/journey\//,
  /^test\/live\//,
  /^test\/portal\/.*\.browser/,
  /^test\/(crash|reconnect)\//,
  /^src\/store\/embedded\//,
  /\.browser\.test\.ts$/,
  /^test\/(api|conformance|freshness|limits|process|refresh|source-keys)\//,
]

/**
 * Starts slow files first, so that no worker is left with one at the end; a new checkout has no times of an earlier
 * run.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inUsualOrder = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((pattern) => pattern.test(relative(this.ctx.config.root, moduleId)))
      return found < 0 ? LONG.length : found
    }
    return inUsualOrder.toSorted((a, b) => rank(a) - rank(b))
  }
}
