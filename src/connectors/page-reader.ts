import { workerData } from 'node:worker_threads'
import type { FileReader } from './contract/authorization.ts'
import { type ConnectorName, findConnector } from './registry.ts'

/** What the reader is given: whose pages it reads, and of which pull. */
export interface PageReaderInput {
  connector: ConnectorName
  pull: string
}

/** Reader of large pages in a thread (`toolkit/uploads/file-threads.ts`). */
const { input }: { input: PageReaderInput } = workerData
const pull = (await findConnector(input.connector)?.load())?.pulls.find(({ name }) => name === input.pull)
if (!pull) throw new Error('the connector has no such pull')

export const reader: FileReader = {
  examine: () => {
    throw new Error('a page is not examined')
  },
  read: (answers) => pull.read(answers),
}
