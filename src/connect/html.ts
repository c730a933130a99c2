export { Html, html } from '../model/html.ts'
