import type { FileReader } from './contract/authorization.ts'
import { connectors } from './registry.ts'

/** Reader of large pages in a thread (`toolkit/file-threads.ts`), for the connector and pull that the module's address names. */
const { searchParams } = new URL(import.meta.url)
const description = connectors.find(({ key }) => key === searchParams.get('connector'))
const pull = (await description?.load())?.pulls.find(({ name }) => name === searchParams.get('pull'))
if (!pull) throw new Error('the connector has no such pull')

export const reader: FileReader = {
  examine: () => {
    throw new Error('a page is not examined')
  },
  read: (answers) => pull.read(answers),
}
