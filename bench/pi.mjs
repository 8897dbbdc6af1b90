// pi's own builder and loader, on the data that each line of standard input brings.
// Time is that of the processor or of the clock, whichever is less: other threads of Node must not count against it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const scopes = join(process.argv[2], "node_modules");
const scope = readdirSync(scopes).find(name => name.startsWith("@") && readdirSync(join(scopes, name)).includes("pi-coding-agent"));
const place = join(scopes, scope, "pi-coding-agent");
const { version } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
const { buildSystemPrompt } = await import(join(place, "dist/core/system-prompt.js"));
const { loadProjectContextFiles } = await import(join(place, "dist/core/resource-loader.js"));
const { loadSkills } = await import(join(place, "dist/core/skills.js"));

function read(data) {
    const skills = data.skills.map(each => ({ ...each, filePath: each.location, baseDir: "/p" }));
    return { cwd: data.runtime.cwd, contextFiles: data.context_files, skills, ...toolsOf(data.tools) };
}

function load({ cwd, home, tools }) {
    const options = { cwd, agentDir: join(home, ".pi/agent"), skillPaths: [join(home, ".agents/skills")] };
    const { skills } = loadSkills({ ...options, includeDefaults: true });
    return { cwd, contextFiles: loadProjectContextFiles(options), skills, ...toolsOf(tools) };
}

function toolsOf(tools) {
    const toolSnippets = Object.fromEntries(tools.map(({ name, snippet }) => [name, snippet]));
    return { selectedTools: tools.map(each => each.name), toolSnippets };
}

// The text as one string, which is what is sent: a string of pieces would be joined only then.
const build = options => Buffer.byteLength(buildSystemPrompt(options));

function timed(work) {
    const cpu = process.cpuUsage(), wall = process.hrtime.bigint();
    const result = work();
    const took = Number(process.hrtime.bigint() - wall), used = process.cpuUsage(cpu);
    return [Math.min(took, (used.user + used.system) * 1000 || took), result];
}

let warm = 30;
for await (const line of createInterface({ input: process.stdin })) {
    const data = JSON.parse(line);
    for (; warm > 0; warm -= 1) build(data.home ? load(data) : read(data));
    const options = data.home ? null : read(data);
    const [took, bytes] = timed(() => build(options ?? load(data)));
    console.log(JSON.stringify({ took, bytes, version }));
}
