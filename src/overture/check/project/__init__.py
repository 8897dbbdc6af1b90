"""Rules about what files say of the project: paths, commands, links, imports, skills."""
