import { markdownPathOf, type Section } from './documents.ts'
import { type LinkMap, rewriteMarkdown } from './links.ts'

const SUMMARY = 'Self-hosted API for normalized accounting and bank account data of small and medium businesses.'

/**
 * Index for language models: every page as Markdown, by section.
 * Source: https://llmstxt.org
 */
export function llmsText(sections: readonly Section[], links: LinkMap): string {
  const parts = sections.map(({ title, documents }, at) => {
    const lines = documents.map(({ title: name, path, summary }) => {
      const said = summary === '' ? '' : `: ${rewriteMarkdown(links, 'docs/README.md', summary)}`
      return `- [${name}](${markdownPathOf(path)})${said}`
    })
    return `## ${title}\n\n${at === 0 ? `${OPENAPI}\n` : ''}${lines.join('\n')}\n`
  })
  return `# Countinghouse\n\n> ${SUMMARY}\n\n${parts.join('\n')}`
}

const OPENAPI = `- [API reference](/docs/reference.md): every operation by subject, with samples
- [OpenAPI document](/admin/api/openapi.json): every operation for developers
- [OpenAPI document of administration](/admin/api/administration.json): users, sources, file feeds, jobs and usage`
