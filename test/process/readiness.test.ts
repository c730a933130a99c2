import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { until } from './deadline.ts'
import { findFreePort, startService } from './service.ts'

/** The health check of a load balancer or an operator's script. */
describe('/readyz at METRICS_LISTEN', () => {
  const folder = folderForTests()
  const test = databaseForTests()

  it('is 200 from when the public address answers until the stop begins', async () => {
    const [port, metrics] = [await findFreePort(), await findFreePort()]
    const environment = { DATABASE_URL: test.url, ENVIRONMENT: 'production', ROLE: 'api', METRICS_LISTEN: String(metrics) }
    const service = await startService({ dataDir: folder.path, port, environment, until: '' })
    const ready = async () => {
      const answer = await fetch(`http://127.0.0.1:${metrics}/readyz`).catch(() => null)
      return answer && { status: answer.status, body: await answer.text() }
    }
    // Without a pause, since the public address may answer a moment later.
    for (let answer = await ready(); answer?.status !== 200; answer = await ready()) {
      if (answer) expect(answer.body).toContain('it is starting')
    }
    expect((await fetch(`${service.baseUrl}/livez`)).status).toBe(200)

    // An open request delays the stop.
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    const request = 'POST /admin/api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{'
    await new Promise<void>((sent) => socket.write(request, () => sent()))
    await until('the request is under way', async () => ((await (await fetch(`${service.baseUrl}/livez`)).text()) ? true : null))
    const stopped = service.stop()
    await until('it says that it stops', async () => ((await ready())?.body.includes('it is stopping') ? true : null))
    socket.destroy()
    expect(await stopped).toEqual({ code: 0, signal: null })
  })
})
