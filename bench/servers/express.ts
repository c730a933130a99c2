import { createServer } from 'node:http'
import express, { type Request, type Response } from 'express'
import jwt from 'jsonwebtoken'
import { openDatabase } from '../../src/store/db/database.ts'
import { listen, serveForBench } from './child.ts'
import { type AccountRow, LIST_ACCOUNTS, toAccount } from './express-rows.ts'

export interface ExpressRequest {
  databaseUrl: string
  secret: string
  serviceId: string
  serviceName: string
}

/**
 * A server as one would write it in an afternoon: Express, `pg` and `jsonwebtoken`, a column per field, objects and
 * `res.json`.
 */
await serveForBench(async (request) => {
  const { databaseUrl, secret, serviceId, serviceName } = JSON.parse(request) as ExpressRequest
  const database = openDatabase(databaseUrl, { max: 16 })
  const app = express()

  app.get('/companies/:companyId/accounts', async (req: Request<{ companyId: string }>, res: Response) => {
    const token = (req.headers.authorization ?? '').replace(/^Bearer /, '')
    const claims = jwt.verify(token, secret, { algorithms: ['HS256'] })
    const instanceId = typeof claims === 'string' ? null : claims.instanceId
    const pageNumber = Number(req.query.PageNumber ?? 1)
    const pageSize = Number(req.query.PageSize ?? 100)
    const { rows } = await database.query<AccountRow>(LIST_ACCOUNTS, [
      instanceId,
      req.params.companyId,
      pageSize,
      (pageNumber - 1) * pageSize,
    ])
    const data = rows.map((row) => ({ serviceId, serviceName, ...toAccount(row) }))
    const lastUpdatedOn = data[0]?.lastUpdatedOn
    res.json({ serviceId, serviceName, lastUpdatedOn, data, pagination: { pageNumber, pageSize, count: data.length } })
  })
  return await listen(createServer(app))
})
