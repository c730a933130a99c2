import { pageReply, type Reply } from '../../kit/http/response.ts'
import { escapeXml } from '../../kit/pages/escape-xml.ts'
import type { Context } from '../context.ts'

/** The only page of the client dashboard: the webhook address, which MX's API cannot set. */
export function answerDashboard(context: Context, form: URLSearchParams | null): Reply {
  const wanted = form?.get('url') ?? null
  if (wanted !== null && wanted !== '' && !URL.canParse(wanted)) return pageReply(400, page('<p role="alert">That is no address.</p>'))
  if (wanted !== null) {
    context.state.webhookUrl = wanted === '' ? null : wanted
    context.save()
  }
  const kept = escapeXml(context.state.webhookUrl ?? '')
  return pageReply(
    200,
    page(
      `<form method="post"><label for="url">Webhooks go to</label> <input id="url" name="url" size="100" value="${kept}"> <button>Save</button></form>`,
    ),
  )
}

function page(content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>MX client dashboard (simulated)</title></head><body><main><h1>Client dashboard (simulated)</h1>${content}</main></body></html>`
}
