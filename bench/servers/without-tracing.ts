import { registerHooks } from 'node:module'
import { stripTracing } from './strip-tracing.ts'

// Loaded before a server (`node --import`), which then runs as if tracing had never been written.
registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    const { source } = loaded
    if (source === undefined || source === null || !url.startsWith('file:') || !url.endsWith('.ts')) return loaded
    const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString('utf8')
    return { ...loaded, source: stripTracing(new URL(url).pathname, text) }
  },
})
