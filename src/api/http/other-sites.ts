import type { FastifyReply, FastifyRequest } from 'fastify'
import { forbidden } from '../errors/errors.ts'

/**
 * Refuses a GET that changes something (a link is made by one) where a browser says that another site asked for it, or
 * that it is a page, a picture or a script: those carry no preflight. Programs say nothing of the kind.
 * Source: https://www.w3.org/TR/fetch-metadata/
 */
export function refuseOtherSites(
  { method, routeOptions, headers }: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const { 'sec-fetch-site': site = 'same-origin', 'sec-fetch-dest': destination = 'empty' } = headers
  const isByGet = (method === 'GET' || method === 'HEAD') && routeOptions.config?.isChange === true
  const isForeign = site !== 'same-origin' || destination !== 'empty'
  done(isByGet && isForeign ? forbidden('Only pages of this deployment and programs may ask for this.') : undefined)
}
