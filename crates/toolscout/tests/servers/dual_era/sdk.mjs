// The packages of the folder that the command line names. They are not installed beside this file.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";

/** The exports of a package. */
export const sdk = createRequire(join(resolve(process.argv[2]), "packages.cjs"));
