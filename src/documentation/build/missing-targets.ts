import type { RenderedDocument } from './render-markdown.ts'

/** Links between pages whose section does not exist, as `file: address`. */
export function listMissingTargets(pages: readonly RenderedDocument[]): string[] {
  const ids = new Map(pages.map(({ document, headings }) => [document.path, new Set(headings.map(({ id }) => id))]))
  return pages.flatMap(({ document, html }) =>
    [...html.matchAll(/href="((?:\/docs)?[^"#]*)#([^"]+)"/g)]
      .filter(([, path = '']) => path === '' || ids.has(path))
      .filter(([, path = '', id = '']) => !ids.get(path === '' ? document.path : path)?.has(id))
      .map(([, path, id]) => `${document.file}: ${path}#${id}`),
  )
}
