export { initialsOf, shownName, wholeName } from '../model/names.ts'
